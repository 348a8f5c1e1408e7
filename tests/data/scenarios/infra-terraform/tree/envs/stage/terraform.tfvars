db_class    = "m2.small"
backup_days = 7
