/** Resolves a host to its IPv4 and IPv6 addresses. Rejects when there are none. `signal` ends the lookup early. */
export type HostResolver = (host: string, signal: AbortSignal) => Promise<string[]>;

/**
 * Queries A and AAAA concurrently, at the machine's name servers or at the given `address:port`. `dns.lookup` runs on a
 * small thread pool and cannot be cancelled, so one tenant's slow name server would delay all tenants. The hosts file and
 * search domains are ignored on purpose.
 */
export function createHostResolver(servers?: readonly string[]): HostResolver {
  return async (host, signal) => {
    // One resolver per lookup: they share no cache, and cancelling one does not affect the others.
    // Loaded at the first lookup: 2 ms, which a function without lookups saves.
    const { Resolver } = process.getBuiltinModule("node:dns/promises");
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      // Most hosts have no AAAA record, so only the failure of both queries counts.
      const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      if (v4.status === "rejected" && v6.status === "rejected") throw v4.reason;
      return [...(v4.status === "fulfilled" ? v4.value : []), ...(v6.status === "fulfilled" ? v6.value : [])];
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}
