import { BlockList, isIP } from "node:net";

// IPv4 is public unless listed. IPv6 is the other way round: only 2000::/3 is handed out as global unicast, so all else
// (mapped, compatible, NAT64 and translated forms, unique local, link local, multicast) is out without being named.

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

// Inside 2000::/3, yet leading elsewhere: Teredo, ORCHID and other special uses, documentation, 6to4, AS112.
const notPublicV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

const refusedV4 = blockList(notPublicV4, "ipv4");
const refusedV6 = blockList(notPublicV6, "ipv6");
const globalUnicastV6 = blockList(["2000::/3"], "ipv6");
const loopbackV4 = blockList(["127.0.0.0/8"], "ipv4");
const loopbackV6 = blockList(["::1/128"], "ipv6");

/** Whether an IP address belongs to the public internet. Anything that is not a plain IP address (a zone id too) is not. */
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

/** Whether an IP address is this machine's own: 127.0.0.0/8 or ::1, and no other spelling of them. */
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

/** 4, 6, or 0 for what is no address. Node counts fe80::1%eth0 as an address; a zone id never belongs in a URL or a DNS answer. */
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
