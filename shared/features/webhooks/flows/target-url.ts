import { invalidField, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { WebhookPorts } from "../ports.ts";

/** The URL as the egress gate normalizes it, if it may be called. DNS lookups have a limit per minute. */
export async function checkEndpointUrl(
  ports: Pick<WebhookPorts, "gate" | "dnsQuota">,
  tenant: TenantId,
  url: string,
  now: Millis,
): Promise<string | Refusal<"invalid_request" | "dns_lookup_limit">> {
  const syntaxCheck = ports.gate.checkUrl(url);
  if (!syntaxCheck.ok) return refuseUrl(syntaxCheck.reason);
  if (hasHostname(syntaxCheck.url)) {
    const retryAfter = await ports.dnsQuota.consume(tenant, now);
    if (retryAfter !== null) return refuse("dns_lookup_limit", undefined, retryAfter);
  }
  const dnsCheck = await ports.gate.checkAndResolve(url);
  return dnsCheck.ok ? dnsCheck.url.href : refuseUrl(dnsCheck.reason);
}

/** @param reason the gate's sentence, which becomes the end of one about the field */
function refuseUrl(reason: string): Refusal<"invalid_request"> {
  const clause = `${reason.charAt(0).toLowerCase()}${reason.slice(1).replace(/\.$/, "")}`;
  return invalidField("url", `is not allowed: ${clause}`, reason);
}

/** A parsed URL has every IP address as four numbers or in brackets. */
function hasHostname({ hostname }: URL): boolean {
  return !/^(\d+\.){3}\d+$|^\[/.test(hostname);
}
