class ProcessedEvent < ApplicationRecord
  validates :event_id, uniqueness: true
end
