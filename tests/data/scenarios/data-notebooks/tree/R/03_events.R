# storm events: rain above 4 mm in an hour
events <- function(rain, limit = 4) which(rain$mm >= limit)
