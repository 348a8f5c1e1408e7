source("R/01_read_sondes.R")
corr <- read.csv("data/corrections.csv")
