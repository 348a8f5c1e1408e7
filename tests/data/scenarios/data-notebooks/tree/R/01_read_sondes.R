read_sonde <- function(path) {
  x <- read.csv(path, stringsAsFactors = FALSE)
  x$time <- as.POSIXct(x$time, tz = "UTC")
  x
}
