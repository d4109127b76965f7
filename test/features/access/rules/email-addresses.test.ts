import { expect, test } from "vitest";
import { parseEmailAddress } from "#features/access/rules/email-addresses.ts";

const localPart = (chars: number) => "a".repeat(chars);
/** A domain of exactly this many characters. */
const domain = (chars: number) => `${"b.".repeat(Math.floor(chars / 2) - 1)}${"c".repeat(2 + (chars % 2))}`;

test.each([
  ["mara@example.com", "mara@example.com"],
  ["Mara.Weber+Shop@EXAMPLE.Com", "mara.weber+shop@example.com"],
  ["o'brien_{x}@sub.example.co.uk", "o'brien_{x}@sub.example.co.uk"],
  ["a@münchen.example", "a@xn--mnchen-3ya.example"],
  ["a@MÜNCHEN.example", "a@xn--mnchen-3ya.example"],
  ["a@mu\u0308nchen.example", "a@xn--mnchen-3ya.example"],
  ["a@xn--mnchen-3ya.example", "a@xn--mnchen-3ya.example"],
  ["a@例え.jp", "a@xn--r8jz45g.jp"],
  ["a@example。com", "a@example.com"],
  ["a@ＥＸＡＭＰＬＥ.com", "a@example.com"],
  ["a@1.example.com", "a@1.example.com"],
  [`${localPart(64)}@example.com`, `${localPart(64)}@example.com`],
  [`${localPart(64)}@${domain(189)}`, `${localPart(64)}@${domain(189)}`],
])("%j has the normal form %j", (text, address) => {
  expect(parseEmailAddress(text)).toBe(address);
  expect(parseEmailAddress(address)).toBe(address);
});

test.each([
  ["empty", ""],
  ["no @", "example.com"],
  ["no local part", "@example.com"],
  ["no domain", "mara@"],
  ["two @", "mara@shop@example.com"],
  ["two @ in a row", "mara@@example.com"],
  ["an @ that IDNA would make", "mara@shop＠example.com"],
  ["a domain of one label", "mara@localhost"],
  ["an IP address", "mara@127.0.0.1"],
  ["an IP address in another form", "mara@0x7f.1"],
  ["an IP address literal", "mara@[127.0.0.1]"],
  ["an IPv6 address literal", "mara@[::1]"],
  ["a port", "mara@example.com:25"],
  ["a path", "mara@example.com/x"],
  ["a backslash", "mara@example.com\\x"],
  ["a query", "mara@example.com?x"],
  ["a fragment", "mara@example.com#x"],
  ["a percent-encoded character", "mara@ex%61mple.com"],
  ["a percent sign that IDNA would make", "mara@ex％61mple.com"],
  ["a line break at its end", "mara@example.com\n"],
  ["a line break inside", "mara@exa\r\nmple.com"],
  ["a line break in its local part", "ma\nra@example.com"],
  ["a header", "mara@example.com\r\nBcc: other@example.com"],
  ["a tab", "mara@exa\tmple.com"],
  ["a space before it", " mara@example.com"],
  ["a space in its domain", "mara@exam ple.com"],
  ["a list", "mara@example.com,other@example.com"],
  ["a name", "Mara <mara@example.com>"],
  ["a quoted local part", '"mara weber"@example.com'],
  ["a bidi character", "mara@exam\u202eple.com"],
  ["a zero-width space", "ma\u200bra@example.com"],
  ["a soft hyphen", "mara@exam\u00adple.com"],
  ["a local part beyond ASCII", "mära@example.com"],
  ["the Kelvin sign, whose lower case is k", "mar\u212a@example.com"],
  ["an unpaired surrogate", "mara@exam\ud800ple.com"],
  ["a label that starts with a hyphen", "mara@-example.com"],
  ["an empty label", "mara@example..com"],
  ["a dot at its end", "mara@example.com."],
  ["a numeric top-level domain", "mara@example.123"],
  ["a local part of 65 characters", `${localPart(65)}@example.com`],
  ["255 characters", `${localPart(64)}@${domain(190)}`],
  ["255 characters once its domain is in IDNA", `${localPart(64)}@${"ü.".repeat(40)}com`],
  ["a very long text", `${"a@".repeat(100_000)}example.com`],
])("no address is read from a text with this flaw: %s", (_, text) => {
  expect(parseEmailAddress(text)).toBeNull();
});
