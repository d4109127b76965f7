import { isIP } from "node:net";
import { CONNECT_TIMEOUT } from "../domain/limits.ts";
import { isLoopbackAddress, isPublicAddress } from "./addresses.ts";
import { createHostResolver, type HostResolver } from "./host-resolver.ts";
import { untilAborted } from "./until-aborted.ts";
import { applyUrlRules, type GateMode, isWithin, urlHost } from "./url-rules.ts";

/** Why a URL may not be called. `reason` is a plain sentence for the caller: it never holds a resolved address. */
interface GateRefusal {
  readonly ok: false;
  readonly reason: string;
  /** `url`: its spelling; `dns`: its host has no address that could be found; `address`: it has one that is not public. */
  readonly cause: "url" | "dns" | "address";
}

/** Decides which URLs the service may call on a tenant's behalf. */
export interface Gate {
  /** The rules that need no look-up. Use the parsed URL from here on, never the raw string. */
  checkUrl(url: string): { ok: true; url: URL } | GateRefusal;
  /**
   * The same and one look-up, every address of which must be allowed: a host that mixes public and private ones is
   * refused. `addresses` may be dialled now; a later call asks anew, because DNS may answer otherwise by then.
   * @param signal ends the look-up; without one it ends after 5 s. Either counts as a host that does not resolve.
   */
  checkAndResolve(
    url: string,
    signal?: AbortSignal,
  ): Promise<{ ok: true; url: URL; addresses: string[] } | GateRefusal>;
}

export interface GateOptions {
  readonly mode: GateMode;
  /** Asks the name servers by default. */
  readonly resolver?: HostResolver;
  /** Host names of the service itself: refused, with all names below them. */
  readonly ownHosts?: readonly string[];
  /** The ports of mode `public`; 443 and 8443 by default. */
  readonly ports?: readonly number[];
}

export function createGate(options: GateOptions): Gate {
  const { mode, resolver = createHostResolver(), ports = [443, 8443] } = options;
  const rules = { mode, ports, ownHosts: (options.ownHosts ?? []).map((host) => host.toLowerCase()) };
  const isAllowed = (ip: string) => isPublicAddress(ip) || (mode === "open" && isLoopbackAddress(ip));

  async function resolveAddresses(host: string, signal: AbortSignal): Promise<string[]> {
    if (isIP(host) !== 0) return [host];
    // Name servers do not know localhost, and the URL rules have let it through in mode `open` only.
    if (isWithin(host, "localhost")) return ["127.0.0.1", "::1"];
    try {
      return await untilAborted(resolver(host, signal), signal);
    } catch {
      return [];
    }
  }

  const gate: Gate = {
    checkUrl(raw) {
      const url = applyUrlRules(raw, rules);
      return typeof url === "string" ? { ok: false, reason: url, cause: "url" } : { ok: true, url };
    },

    async checkAndResolve(raw, signal = AbortSignal.timeout(CONNECT_TIMEOUT)) {
      const check = gate.checkUrl(raw);
      if (!check.ok) return check;
      const addresses = await resolveAddresses(urlHost(check.url), signal);
      if (addresses.length === 0) {
        return { ok: false, reason: "The URL's host does not resolve; check its DNS records.", cause: "dns" };
      }
      if (!addresses.every(isAllowed)) {
        return { ok: false, reason: "The host does not resolve to a public address.", cause: "address" };
      }
      return { ok: true, url: check.url, addresses };
    },
  };
  return gate;
}
