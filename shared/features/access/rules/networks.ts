/**
 * The key for counting the requests of an address: the IPv4 address, or the /64 prefix of an IPv6 address, because one
 * household has a whole /64.
 * @param address as the gateway saw it; null when there was none
 */
export function networkKey(address: string | null): string {
  if (address === null) return "unknown";
  const [normalized = ""] = address.toLowerCase().split("%", 1);
  const mapped = /^::ffff:([\d.]+)$/.exec(normalized)?.[1];
  if (mapped) return mapped;
  if (!normalized.includes(":")) return normalized;
  const [before = [], after = []] = normalized
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const gap = Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: gap }, () => "0"), ...after].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
