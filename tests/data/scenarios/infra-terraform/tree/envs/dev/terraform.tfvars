db_class    = "m2.nano"
backup_days = 1
