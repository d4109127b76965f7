import { isIP } from "node:net";
import { CONNECT_TIMEOUT } from "../kernel/limits.ts";
import { createHostResolver, type HostResolver } from "./host-resolver.ts";
import { applyUrlRules, type GateMode, isLoopbackAddress, isPublicAddress, isWithin, urlHost } from "./url-rules.ts";

/** Why a URL must not be called. `reason` is a sentence for the caller and never contains a resolved address. */
interface GateRefusal {
  readonly ok: false;
  readonly reason: string;
  /** `url`: the URL breaks a rule; `dns`: its host does not resolve; `address`: it resolves to one that is not public. */
  readonly cause: "url" | "dns" | "address";
}

/** Decides which URLs the service may call for a tenant. */
export interface Gate {
  /** Checks the rules that need no DNS lookup. Use the parsed URL from here on, not the raw string. */
  checkUrl(url: string): { ok: true; url: URL } | GateRefusal;
  /**
   * Checks the rules and resolves the host. Every address must be allowed: a host with public and private addresses is
   * refused. `addresses` are for immediate use; a later connection resolves again, because DNS may have changed.
   * @param signal ends the lookup. Default: 5 s. An ended lookup counts as a host that does not resolve.
   */
  checkAndResolve(
    url: string,
    signal?: AbortSignal,
  ): Promise<{ ok: true; url: URL; addresses: string[] } | GateRefusal>;
}

export interface GateOptions {
  readonly mode: GateMode;
  /** Default: the name servers. */
  readonly resolver?: HostResolver;
  /** Host names of the service itself. They and their subdomains are refused. */
  readonly ownHosts?: readonly string[];
  /** The ports of mode `public`. Default: 443 and 8443. */
  readonly ports?: readonly number[];
}

export function createGate(options: GateOptions): Gate {
  const { mode, resolver = createHostResolver(), ports = [443, 8443] } = options;
  const rules = { mode, ports, ownHosts: (options.ownHosts ?? []).map((host) => host.toLowerCase()) };
  const isAllowed = (ip: string) => isPublicAddress(ip) || (mode === "open" && isLoopbackAddress(ip));

  async function resolveAddresses(host: string, signal: AbortSignal): Promise<string[]> {
    if (isIP(host) !== 0) return [host];
    // Name servers do not know localhost. The URL rules allow it in mode `open` only.
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

/** Settles like `work`, or rejects with the signal's reason when it is aborted first. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    // A result after the abort is dropped here, so that it is never an unhandled rejection.
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
