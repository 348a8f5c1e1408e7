fig_events <- function(d) {
  boxplot(ntu ~ site, data = d, log = "y", ylab = "Turbidity (NTU)")
}
