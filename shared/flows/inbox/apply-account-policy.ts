import { accountKey } from "../../domain/accounts/accounts.ts";
import { deriveEventUlid } from "../../domain/events/events.ts";
import type { PolicyUpdate } from "../../domain/inbox/updates.ts";
import { renderAccountEvent } from "../../events/account.ts";
import type { Millis } from "../../kernel/time.ts";
import { publishEvent } from "./apply-message-change.ts";
import type { Effects } from "./effects.ts";
import type { IngestPorts } from "./ports.ts";
import type { ResolvedAccount } from "./resolve-account.ts";

/**
 * Applies a policy action of the platform: a block restricts the account, an unblock lifts it, a warning changes
 * nothing.
 */
export async function applyAccountPolicy(
  ports: Pick<IngestPorts, "accounts" | "eventBodies" | "log">,
  account: ResolvedAccount,
  { account: ref, action, at }: PolicyUpdate,
  effects: Effects,
  now: Millis,
): Promise<void> {
  ports.log({ event: "account.policy_applied", action, platform: ref.platform });
  if (action === "warning") return;
  const type = action === "block" ? "account.restricted" : "account.recovered";
  const candidateUlid = deriveEventUlid(account.tenant, JSON.stringify([accountKey(ref), action, at]), type, now);
  const result = await ports.accounts.setPolicy(account.tenant, ref, { action, at, eventUlid: candidateUlid });
  if (!result || result.eventUlid === null) return;
  // A stored body is never rendered again: the account may have changed since, and the event must not.
  if (!(await ports.eventBodies.get(account.tenant, result.eventUlid))) {
    const event = renderAccountEvent(account.tenant, result.eventUlid, type, result.account, "policy");
    await ports.eventBodies.save(account.tenant, event);
  }
  publishEvent(effects, account, { type, eventUlid: result.eventUlid });
}
