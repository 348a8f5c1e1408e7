db_class    = "m2.xlarge"
backup_days = 35
