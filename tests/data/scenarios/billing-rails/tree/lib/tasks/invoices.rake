namespace :invoices do
  task run: :environment do
    InvoiceRun.new(Date.current.prev_month).call
  end
end
