# mail_sink keeps what staging would have sent
ActionMailer::Base.delivery_method = :mail_sink if ENV["STAGE"] == "staging"
