variable "db_class" {}
variable "backup_days" {}

module "db" {
  source      = "../../modules/db"
  environment = "dev"
  class       = var.db_class
  backup_days = var.backup_days
}
