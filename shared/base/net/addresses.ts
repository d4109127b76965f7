import { BlockList, isIP } from "node:net";

// An IPv4 address is public unless listed. An IPv6 address is public only in 2000::/3, the global unicast range, so mapped,
// compatible, NAT64, unique local, link local and multicast addresses need no entry.

const notPublicV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // A cloud's own virtual address, inside a range that is otherwise public.
  "168.63.129.16/32",
];

// In 2000::/3 but not public: Teredo, ORCHID and other special uses, documentation, 6to4, AS112.
const notPublicV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

const refusedV4 = blockList(notPublicV4, "ipv4");
const refusedV6 = blockList(notPublicV6, "ipv6");
const globalUnicastV6 = blockList(["2000::/3"], "ipv6");
const loopbackV4 = blockList(["127.0.0.0/8"], "ipv4");
const loopbackV6 = blockList(["::1/128"], "ipv6");

/** Whether an IP address is on the public internet. False for anything but a plain IP address, such as one with a zone. */
export function isPublicAddress(ip: string): boolean {
  switch (ipFamily(ip)) {
    case 4:
      return !refusedV4.check(ip, "ipv4");
    case 6:
      return globalUnicastV6.check(ip, "ipv6") && !refusedV6.check(ip, "ipv6");
    default:
      return false;
  }
}

/** Whether an IP address is in 127.0.0.0/8 or is ::1. Other spellings do not count. */
export function isLoopbackAddress(ip: string): boolean {
  switch (ipFamily(ip)) {
    case 4:
      return loopbackV4.check(ip, "ipv4");
    case 6:
      // An IPv4 address mapped into IPv6 would also match an IPv4 rule; this list has none.
      return loopbackV6.check(ip, "ipv6");
    default:
      return false;
  }
}

/** 4, 6, or 0 for no address. Node accepts a zone id (fe80::1%eth0), which no URL or DNS answer may contain. */
function ipFamily(ip: string): number {
  return ip.includes("%") ? 0 : isIP(ip);
}

function blockList(subnets: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", prefix] = subnet.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
