class Dunning
  DAYS = Rails.application.config_for(:dunning).fetch(:reminders)

  def call
    DAYS.each { |d| Invoice.unpaid.where(due_on: Date.current - d).find_each(&:remind!) }
  end
end
