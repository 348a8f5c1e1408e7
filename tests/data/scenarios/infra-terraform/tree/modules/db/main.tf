variable "environment" {}
variable "class" {}
variable "backup_days" {}

resource "nimbus_database" "tickets" {
  name           = "tickets-${var.environment}"
  class          = var.class
  retention_days = var.backup_days
}

moved {
  from = nimbus_database.main
  to   = nimbus_database.tickets
}
