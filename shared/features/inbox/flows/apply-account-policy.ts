import { deriveEventUlid } from "#base/events/events.ts";
import { renderAccountEvent } from "#features/accounts/events.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { publishStoredEvent } from "../effects.ts";
import type { IngestPorts } from "../ports.ts";
import type { PolicyUpdate } from "../rules/updates.ts";
import type { UpdateContext } from "./update-context.ts";

/**
 * Applies a policy action of the platform: a block restricts the account, an unblock lifts it, a warning changes
 * nothing.
 */
export async function applyAccountPolicy(
  ports: Pick<IngestPorts, "accounts" | "eventBodies" | "log">,
  { account: ref, action, at, reason }: PolicyUpdate,
  { account: { tenant }, effects, now }: Omit<UpdateContext, "snapshot">,
): Promise<void> {
  ports.log({ event: "account.policy_applied", action, platform: ref.platform });
  if (action === "warning") return;
  const type = action === "block" ? "account.restricted" : "account.recovered";
  const candidateUlid = deriveEventUlid(tenant, JSON.stringify([accountKey(ref), action, at]), type, now);
  const result = await ports.accounts.setPolicy(tenant, ref, { action, at, reason, eventUlid: candidateUlid });
  if (!result || result.eventUlid === null) return;
  const { account, eventUlid } = result;
  await ports.eventBodies.save(tenant, renderAccountEvent(tenant, { eventUlid, type, account, reason: "policy" }));
  publishStoredEvent(effects, { tenant, type, eventUlid });
}
