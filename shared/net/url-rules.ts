import { isIP } from "node:net";
import { isLoopbackAddress, isPublicAddress } from "./addresses.ts";

/**
 * `public` is the rule of a deployment: https, the usual ports, public DNS names.
 * `open` is the local stack's own setting: it adds http, any port, localhost and single-label names, IP literals and
 * loopback addresses. Every other address that is not public stays refused.
 */
export type GateMode = "public" | "open";

export interface UrlRules {
  readonly mode: GateMode;
  /** The ports that `public` allows. */
  readonly ports: readonly number[];
  /** The service's own host names, lowercase: they and everything below them are refused, lest a webhook call itself. */
  readonly ownHosts: readonly string[];
}

/** Of what is asked for, and of what is kept of it and called. */
const URL_CHARS_MAX = 2048;
const TOO_LONG = `The URL must be at most ${URL_CHARS_MAX} characters long, percent-encoded as it is sent.`;
const HOST_CHARS_MAX = 253;

/** Names that never lead to the public internet, with all that is below them. */
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
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const REWRITTEN_CHARS = /[\u0000-\u0020\u007f\\]/;
const LDH_LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * The parsed URL, or the sentence that says why it may not be called. No look-up is made. What passes once passes again
 * as the parser wrote it.
 */
export function applyUrlRules(raw: string, rules: UrlRules): URL | string {
  if (raw.length > URL_CHARS_MAX) return TOO_LONG;
  if (REWRITTEN_CHARS.test(raw)) return "The URL must not hold spaces, control characters or backslashes.";
  const url = URL.parse(raw);
  // With its authority spelled out: a parser would also take https:example.com and https:////example.com.
  const authority = /^[a-z]+:\/\/([^/?#]+)/i.exec(raw)?.[1];
  if (url === null || authority === undefined) {
    return "The URL is not valid; give a whole one, such as https://example.com/hooks.";
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
    return "The URL must not hold a user name or password.";
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
  // Loopback, as its addresses above, is the service's own and everyone's: there a port tells who answers.
  if (rules.mode === "open" && isWithin(host, "localhost")) return null;
  if (rules.ownHosts.some((ownHost) => isWithin(host, ownHost))) return "The URL must not lead back to this service.";
  if (SPECIAL_NAMES.some((name) => isWithin(host, name)))
    return "The URL's host must be a public name, not a reserved one.";
  if (rules.mode === "public" && labels.length < 2)
    return "The URL's host must be a full name, such as hooks.example.com.";
  return null;
}

/** The host as a resolver or `isIP` takes it: an IPv6 literal without its brackets. */
export function urlHost(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/** Whether a host is the name or below it. */
export function isWithin(host: string, name: string): boolean {
  return host === name || host.endsWith(`.${name}`);
}
