ActiveRecord::Schema[7.2].define(version: 2026_07_06_101500) do
  create_table "invoices" do |t|
    t.bigint "net_cents"
    t.bigint "total_cents"
    t.integer "vat_percent"
    t.date "due_on"
  end
end
