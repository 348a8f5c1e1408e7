every "0 2 3 * *" do
  rake "invoices:run"
end

every 1.day, at: "7:30 am" do
  runner "Dunning.new.call"
end
