import type { IncomingMessage } from "node:http";

/** The names under which a port of this machine is called. */
export const LOOPBACK_HOST = "127.0.0.1";
const names = [LOOPBACK_HOST, "localhost"];

/** The pages that may call a port. */
export interface LoopbackCallers {
  /** The port itself: it answers under its own names, and to its own pages. */
  readonly port: number;
  /** The origins of other pages that may call it. */
  readonly origins: readonly string[];
}

/** The origins of the pages of a port. */
export function loopbackOrigins(port: number): string[] {
  return ownHosts(port).map((host) => `http://${host}`);
}

/** What a page of another origin may show, and which pages it may open. All else that it loads is a call. */
const foreignSites = ["cross-site", "same-site"];
const shownDestinations = ["document", "image", "audio", "video"];

/**
 * Why a request is refused, or null. A page of another origin names that origin, and a name that was pointed at this
 * machine (DNS rebinding) stays in `Host`. A request without `Origin` that a page of another origin loads says so in
 * `Sec-Fetch-Site`: another port of this machine is another origin of the same site.
 */
export function loopbackRefusal(request: IncomingMessage, { port, origins }: LoopbackCallers): string | null {
  const hosts = ownHosts(port);
  const { host: sentHosts = [], origin: sentOrigins = [] } = request.headersDistinct;
  if (![...sentHosts, targetHost(request.url)].every((host) => host === null || hosts.includes(host.toLowerCase())))
    return `This port answers only as ${hosts.join(" or ")}.`;
  if (sentHosts.length !== 1) return "Missing Host. Name this port in it once.";
  const isAllowed = (origin: string) => origins.includes(origin) || hosts.some((host) => origin === `http://${host}`);
  if (!sentOrigins.every(isAllowed)) return "This port answers no page of another origin.";
  const { "sec-fetch-site": site, "sec-fetch-dest": destination } = request.headers;
  const isForeign = sentOrigins.length === 0 && foreignSites.includes(String(site));
  if (isForeign && !shownDestinations.includes(String(destination)))
    return "This port answers no page of another origin.";
  return null;
}

/** Of each port of this process, because every request asks. */
const hostsByPort = new Map<number, readonly string[]>();

/** HTTP omits its default port. */
function ownHosts(port: number): readonly string[] {
  const hosts = hostsByPort.get(port) ?? names.flatMap((name) => [...(port === 80 ? [name] : []), `${name}:${port}`]);
  hostsByPort.set(port, hosts);
  return hosts;
}

/** The host of a request target in absolute form, which overrides `Host`. Null for a path. */
function targetHost(url = "/"): string | null {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? null;
}
