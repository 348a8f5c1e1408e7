variable "db_class" {}
variable "backup_days" {}

module "db" {
  source      = "../../modules/db"
  environment = "stage"
  class       = var.db_class
  backup_days = var.backup_days
}
