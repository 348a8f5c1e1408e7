variable "subnets" { type = map(string) }

resource "nimbus_subnet" "this" {
  for_each = var.subnets
  cidr     = each.value
}

import {
  to = nimbus_subnet.this["quay"]
  id = "sn-0041"
}
