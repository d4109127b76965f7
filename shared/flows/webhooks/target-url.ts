import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { ApiPorts } from "../ports.ts";

/** An endpoint's address as the gate writes it, if it may be called. A host's name is looked up, some times a minute. */
export async function addressOf(
  ports: Pick<ApiPorts, "gate" | "lookUps">,
  tenant: TenantId,
  url: string,
  now: Millis,
): Promise<string | Refusal<"invalid_request" | "too_many_look_ups">> {
  const spelled = ports.gate.checkUrl(url);
  if (!spelled.ok) return refuse("invalid_request", spelled.reason);
  if (hasName(spelled.url)) {
    const wait = await ports.lookUps.add(tenant, now);
    if (wait !== null) return refuse("too_many_look_ups", undefined, wait);
  }
  const checked = await ports.gate.checkAndResolve(url);
  return checked.ok ? checked.url.href : refuse("invalid_request", checked.reason);
}

/** Whatever way an address was spelled, a parsed URL has it as four numbers or in brackets. */
function hasName({ hostname }: URL): boolean {
  return !/^(\d+\.){3}\d+$|^\[/.test(hostname);
}
