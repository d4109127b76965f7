import { accountKey } from "../../domain/accounts/accounts.ts";
import { eventUlidOf, renderEvent } from "../../domain/events/events.ts";
import { accountEventData } from "../../domain/events/message-changes.ts";
import type { PolicyUpdate } from "../../domain/inbox/updates.ts";
import type { Millis } from "../../kernel/time.ts";
import type { IngestPorts } from "../ports.ts";
import { announce } from "./apply-change.ts";
import type { Effects } from "./effects.ts";
import type { AccountHome } from "./resolve-account.ts";

/** Takes what the platform decided of an account: a block restricts it, an unblock lifts that, a warning does neither. */
export async function takePolicy(
  ports: Pick<IngestPorts, "accounts" | "eventBodies" | "log">,
  home: AccountHome,
  { account: ref, action, at }: PolicyUpdate,
  effects: Effects,
  now: Millis,
): Promise<void> {
  ports.log({ event: "policy", action, platform: ref.platform });
  if (action === "warning") return;
  const type = action === "block" ? "account.restricted" : "account.recovered";
  const minted = eventUlidOf(home.tenant, JSON.stringify([accountKey(ref), action, at]), type, now);
  const taken = await ports.accounts.setPolicy(home.tenant, ref, { action, at, eventUlid: minted });
  if (!taken || taken.eventUlid === null) return;
  // A body that was kept stands: the account may have changed since, and the event is the same.
  if (!(await ports.eventBodies.get(home.tenant, taken.eventUlid))) {
    const data = accountEventData(taken.account, "policy");
    await ports.eventBodies.keep(home.tenant, renderEvent(home.tenant, taken.eventUlid, type, data));
  }
  announce(effects, home, { type, eventUlid: taken.eventUlid });
}
