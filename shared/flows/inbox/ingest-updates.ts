import { conversationId } from "../../domain/inbox/conversations.ts";
import type { IgnoredUpdate, Update } from "../../domain/inbox/updates.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Glimpse } from "../../stores/inbox/conversations.ts";
import type { IngestPorts } from "../ports.ts";
import { takePolicy } from "./apply-account-policy.ts";
import { takeChange } from "./apply-change.ts";
import type { Effects } from "./effects.ts";
import { takeMessage } from "./ingest-message.ts";
import type { AccountHome, FindHome } from "./resolve-account.ts";

/** An update of an account that is connected, and where it belongs. */
interface Homed {
  readonly update: Exclude<Update, IgnoredUpdate>;
  readonly home: AccountHome;
  /** Null for what leaves nothing in a conversation. */
  readonly conversation: string | null;
}

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
  const homed: Homed[] = [];
  const unknown = new Map<string, number>();
  for (const update of updates) {
    if (update.kind === "ignored") continue;
    const home = await findHome(update.account, now);
    if (home) homed.push({ update, home, conversation: conversationOf(update, home) });
    else unknown.set(update.account.platform, (unknown.get(update.account.platform) ?? 0) + 1);
  }
  for (const [platform, count] of unknown) ports.log({ event: "unknown_account", platform, updates: count });

  const glimpses = await ports.conversations.peek(homed.flatMap(({ conversation }) => conversation ?? []));
  for (const each of homed) await take(ports, each, glimpses, effects, now);
}

function conversationOf(update: Homed["update"], { tenant }: AccountHome): string | null {
  switch (update.kind) {
    case "message":
    case "unsend":
    case "edit":
    case "reaction":
      return conversationId({ ...update, tenant });
    default:
      return null;
  }
}

async function take(
  ports: IngestPorts,
  { update, home, conversation }: Homed,
  glimpses: ReadonlyMap<string, Glimpse>,
  effects: Effects,
  now: Millis,
): Promise<void> {
  if (update.kind === "policy") return takePolicy(ports, home, update, effects, now);
  const glimpse = conversation === null ? undefined : glimpses.get(conversation);
  if (!glimpse) return;
  switch (update.kind) {
    case "message":
      return takeMessage(ports, home, update, glimpse, effects, now);
    case "unsend":
    case "edit":
    case "reaction":
      return takeChange(ports, home, update, glimpse, effects, now);
    default:
      // Read, delivered, referral: there is nothing to keep of them.
      return;
  }
}
