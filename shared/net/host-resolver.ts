import { Resolver } from "node:dns/promises";

/** The addresses of a host, of both families; rejects when there are none. `signal` ends the look-up early. */
export type HostResolver = (host: string, signal: AbortSignal) => Promise<string[]>;

/**
 * Asks name servers, A and AAAA at once: the machine's own, or those given as `address:port`. Not `dns.lookup`: that
 * runs on the few threads of the pool and cannot be cancelled, so that one tenant's slow name server would hold up
 * everyone. This also ignores the hosts file and search domains, as it should.
 */
export function createHostResolver(servers?: readonly string[]): HostResolver {
  return async (host, signal) => {
    // One for each look-up: nothing is remembered between them, and cancelling one leaves the others alone.
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      // Most hosts have no AAAA record: that one question fails is no failure, that both do is.
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      if (v4.status === "rejected" && v6.status === "rejected") throw v4.reason;
      return [...(v4.status === "fulfilled" ? v4.value : []), ...(v6.status === "fulfilled" ? v6.value : [])];
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}
