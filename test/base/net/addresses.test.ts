import { isIPv4, isIPv6 } from "node:net";
import { AntiSSRFPolicy, PolicyConfigOptions } from "@microsoft/antissrf";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { expect, test } from "vitest";
import { isLoopbackAddress, isPublicAddress } from "#base/net/url-rules.ts";

const refusedAddresses = [
  // Both ends of every range, and the metadata addresses of clouds.
  ...["0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "100.100.100.200"],
  ...["127.0.0.0", "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.170.23"],
  ...["169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.192", "192.0.0.255", "192.0.2.1"],
  ...["192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "192.175.48.1"],
  ...["198.18.0.0", "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.0", "239.255.255.255", "240.0.0.0"],
  ...["255.255.255.255", "168.63.129.16"],
  ...["::", "::1", "::2", "::7f00:1", "::a9fe:a9fe", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:7f00:1"],
  ...["::ffff:8.8.8.8", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808"],
  ...["64:ff9b:1::1", "100::1", "100:0:0:1::1", "1::1", "1fff:ffff::1", "2001::1", "2001:0:4136:e378::1"],
  ...["2001:1ff:ffff::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2001:db8:ffff::1", "2002:7f00:1::"],
  ...["2002:a9fe:a9fe::1", "2620:4f:8000::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "8000::1", "abcd::1"],
  ...[
    "fc00::1",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "fdff::1",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "ff02::1",
  ],
];

const allowedAddresses = [
  ...[
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
  ],
  ...["168.63.129.15", "168.63.129.17", "172.15.255.255", "172.32.0.0", "192.0.1.0", "223.255.255.255"],
  ...[
    "2000::1",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2003::1",
    "2606:4700:4700::1111",
    "3ffe:ffff::1",
    "3fff:1000::1",
  ],
];

const notAddresses = [
  "",
  "localhost",
  "1.2.3",
  "1.2.3.4.5",
  "0x7f.1",
  "2130706433",
  "[2606:4700:4700::1111]",
  " 8.8.8.8",
];
const zonedAddresses = ["fe80::1%eth0", "2606:4700:4700::1111%eth0", "::1%lo"];

const oracleRanges = new AntiSSRFPolicy(PolicyConfigOptions.ExternalOnlyLatest).deniedAddresses;

/** The verdict of two published lists: "public", "not public", or null where they disagree. */
function oracleVerdict(ip: string): "public" | "not public" | null {
  const first = !oracleRanges.check(ip, isIPv4(ip) ? "ipv4" : "ipv6");
  const second = ipaddr.parse(ip).range() === "unicast";
  return first === second ? (first ? "public" : "not public") : null;
}

test.each(refusedAddresses)("isPublicAddress refuses %s", (ip) => {
  expect(isIPv4(ip) || isIPv6(ip)).toBe(true);
  expect(isPublicAddress(ip)).toBe(false);
});

test.each(allowedAddresses)("isPublicAddress allows %s", (ip) => {
  expect(isPublicAddress(ip)).toBe(true);
});

test.each([...notAddresses, ...zonedAddresses])(
  "isPublicAddress refuses a value that is not a plain address: %j",
  (ip) => {
    expect(isPublicAddress(ip)).toBe(false);
  },
);

test("isPublicAddress agrees with the published lists wherever they agree, for IPv4 and for global unicast IPv6", () => {
  expect([...refusedAddresses, ...allowedAddresses].filter((ip) => oracleVerdict(ip) !== null).length).toBeGreaterThan(
    60,
  );
  const globalUnicast = fc.ipV6().filter((ip) => /^[23][0-9a-f]{3}:/i.test(ip));
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), globalUnicast), (ip) => {
      const verdict = oracleVerdict(ip);
      fc.pre(verdict !== null);
      expect([ip, isPublicAddress(ip)]).toEqual([ip, verdict === "public"]);
    }),
    { numRuns: 2_000 },
  );
});

test("isPublicAddress never allows an address that either published list refuses", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => {
      const inLists = !oracleRanges.check(ip, isIPv4(ip) ? "ipv4" : "ipv6") && ipaddr.parse(ip).range() === "unicast";
      expect(inLists || !isPublicAddress(ip)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test.each(["127.0.0.0", "127.0.0.1", "127.255.255.255", "::1", "0:0:0:0:0:0:0:1"])(
  "isLoopbackAddress accepts %s",
  (ip) => {
    expect(isLoopbackAddress(ip)).toBe(true);
  },
);

test.each(["126.255.255.255", "128.0.0.0", "0.0.0.0", "::", "::2", "::ffff:127.0.0.1", "::1%lo", "localhost"])(
  "isLoopbackAddress rejects %s",
  (ip) => {
    expect(isLoopbackAddress(ip)).toBe(false);
  },
);
