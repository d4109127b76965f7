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

/**
 * `public`, for deployments: https, the allowed ports, public DNS names.
 * `open`, for the local stack: also http, any port, localhost, single-label names, IP literals and loopback addresses.
 * Other addresses that are not public are refused in both modes.
 */
export type GateMode = "public" | "open";

export interface UrlRules {
  readonly mode: GateMode;
  /** The ports that `public` allows. */
  readonly ports: readonly number[];
  /** The service's own host names, lowercase. They and their subdomains are refused, so that no webhook calls Parley. */
  readonly ownHosts: readonly string[];
}

/** Applies to the URL as requested and as normalized. */
const URL_CHARS_MAX = 2048;
const TOO_LONG = `The URL must be at most ${URL_CHARS_MAX} characters long, percent-encoded as it is sent.`;
const HOST_CHARS_MAX = 253;

/** Names, with their subdomains, that never resolve on the public internet. */
const SPECIAL_NAMES = [
  "localhost",
  "local",
  "internal",
  "home.arpa",
  "lan",
  "corp",
  "test",
  "invalid",
  "onion",
  "arpa",
  "alt",
];

/** Spaces and controls, DEL and backslash: a URL parser drops or rewrites them, so they are refused before it runs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters on purpose
const REWRITTEN_CHARS = /[\u0000-\u0020\u007f\\]/;
const LDH_LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * The parsed URL, or a sentence that says why it must not be called. Makes no DNS lookup. A normalized URL that passed
 * once passes again.
 */
export function applyUrlRules(raw: string, rules: UrlRules): URL | string {
  if (raw.length > URL_CHARS_MAX) return TOO_LONG;
  if (REWRITTEN_CHARS.test(raw)) return "The URL must not contain spaces, control characters or backslashes.";
  const url = URL.parse(raw);
  // The authority must be explicit: a parser also accepts https:example.com and https:////example.com.
  const authority = /^[a-z]+:\/\/([^/?#]+)/i.exec(raw)?.[1];
  if (url === null || authority === undefined) {
    return "Invalid URL. Use a complete URL, such as https://example.com/hooks.";
  }
  if (url.href.length > URL_CHARS_MAX) return TOO_LONG;
  return (
    schemeFault(url, rules) ??
    spellingFault(raw, authority, url) ??
    portFault(url, rules) ??
    hostFault(url, rules) ??
    url
  );
}

function schemeFault(url: URL, { mode }: UrlRules): string | null {
  if (url.protocol === "https:" || (mode === "open" && url.protocol === "http:")) return null;
  return mode === "open" ? "The URL must use https or http." : "The URL must use https.";
}

function spellingFault(raw: string, authority: string, url: URL): string | null {
  if (authority.includes("@") || url.username !== "" || url.password !== "") {
    return "The URL must not contain a user name or password.";
  }
  return raw.includes("#") ? "The URL must not have a fragment (#)." : null;
}

function portFault(url: URL, { mode, ports }: UrlRules): string | null {
  const port = url.port === "" ? 443 : Number(url.port);
  return mode === "open" || ports.includes(port) ? null : `The URL's port must be ${ports.join(" or ")}.`;
}

function hostFault(url: URL, rules: UrlRules): string | null {
  const host = urlHost(url);
  if (isIP(host) !== 0) {
    if (rules.mode === "public") return "The URL must name its host; IP addresses are refused.";
    return isPublicAddress(host) || isLoopbackAddress(host) ? null : "The URL's address is not public.";
  }
  if (host.endsWith(".")) return "The URL's host must not end with a dot.";
  const labels = host.split(".");
  if (host.length > HOST_CHARS_MAX || !labels.every((label) => LDH_LABEL.test(label))) {
    return "The URL's host must be a DNS name: letters, digits and dashes between dots.";
  }
  // Loopback belongs to the service and to local receivers alike: there the port distinguishes them.
  if (rules.mode === "open" && isWithin(host, "localhost")) return null;
  if (rules.ownHosts.some((ownHost) => isWithin(host, ownHost))) return "The URL must not point to this service.";
  if (SPECIAL_NAMES.some((name) => isWithin(host, name)))
    return "The URL's host must be a public name, not a reserved one.";
  if (rules.mode === "public" && labels.length < 2)
    return "The URL's host must be a full name, such as hooks.example.com.";
  return null;
}

/** The host without the brackets of an IPv6 literal, as a resolver and `isIP` expect it. */
export function urlHost(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/** Whether a host is the name or a subdomain of it. */
export function isWithin(host: string, name: string): boolean {
  return host === name || host.endsWith(`.${name}`);
}
