# frozen_string_literal: true

# The lines are described in driver.mjs.
require "#{ARGV.fetch(0)}/verify"

$stdout.sync = true
$stdin.each_line(chomp: true) do |line|
  body, timestamp, signature, secret, now = line.split("\t")
  headers = { "Svc-Timestamp" => timestamp, "Svc-Signature" => signature }
  headers = headers.reject { |_, value| value == "-" }.transform_values { |value| value.to_s.unpack1("m0") }
  puts verify(body.unpack1("m0"), headers, secret.unpack1("m0"), Time.at(now.unpack1("m0").to_i))
end
