import { isIP } from "node:net";
import { isLoopbackAddress, isPublicAddress } from "./addresses.ts";

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
