class Invoice < ApplicationRecord
  has_many :lines

  def recompute
    self.net_cents = lines.sum(&:amount_cents)
    self.total_cents = net_cents + (net_cents * vat_percent + 50) / 100
  end

  # tests compare recompute with Rational arithmetic, no to_f anywhere
end
