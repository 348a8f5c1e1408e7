variable "parts" { type = list(string) }
output "name" { value = join("-", var.parts) }
