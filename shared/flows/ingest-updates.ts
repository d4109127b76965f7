import { conversationId } from "../domain/conversations.ts";
import type { MessageUpdate, Update } from "../domain/updates.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountHome, FindHome } from "./account-homes.ts";
import type { Effects } from "./effects.ts";
import type { IngestPorts } from "./ports.ts";
import { takeMessage } from "./take-message.ts";

/**
 * Takes the updates of one webhook, in their order.
 * @param effects grows by what is to be done before the webhook is done with
 */
export async function ingestUpdates(
  ports: IngestPorts,
  findHome: FindHome,
  updates: readonly Update[],
  effects: Effects,
  now: Millis,
): Promise<void> {
  const messages = updates.filter((update): update is MessageUpdate => update.kind === "message");
  const homed: { update: MessageUpdate; home: AccountHome; conversation: string }[] = [];
  const unknown = new Map<string, number>();
  for (const update of messages) {
    const home = await findHome(update.account, now);
    if (home) homed.push({ update, home, conversation: conversationId({ ...update, tenant: home.tenant }) });
    else unknown.set(update.account.platform, (unknown.get(update.account.platform) ?? 0) + 1);
  }
  for (const [platform, count] of unknown) ports.log({ event: "unknown_account", platform, updates: count });

  const glimpses = await ports.conversations.peek(homed.map(({ conversation }) => conversation));
  for (const { update, home, conversation } of homed) {
    const glimpse = glimpses.get(conversation);
    if (glimpse) await takeMessage(ports, home, update, glimpse, effects, now);
  }
}
