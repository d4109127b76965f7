# frozen_string_literal: true

require "openssl"

TOLERANCE_SECONDS = 300

# Verifies the signature and the timestamp.
# raw_body:: the unparsed body (Rails: request.raw_post, Rack: request.body.read)
# headers:: responds to ["Svc-Signature"], like Rails' request.headers
# now:: a Time
def verify(raw_body, headers, secret, now = Time.now)
  timestamp = headers["Svc-Timestamp"].to_s
  return false unless timestamp.match?(/\A[0-9]{1,12}\z/)
  return false if (now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  mac = OpenSSL::HMAC.new(secret, "SHA256")
  mac << "#{timestamp}." << raw_body
  expected = "v1=#{mac.hexdigest}"
  headers["Svc-Signature"].to_s.split(",").any? { |part| OpenSSL.secure_compare(part.strip, expected) }
end
