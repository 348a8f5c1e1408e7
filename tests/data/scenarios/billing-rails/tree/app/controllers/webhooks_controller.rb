class WebhooksController < ApplicationController
  def payloom
    head :unauthorized and return unless Payloom.valid?(request.raw_post, request.headers["X-Payloom-Signature"])
    PaymentEvent.handle(JSON.parse(request.raw_post))
    head :ok
  end
end
