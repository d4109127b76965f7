import { OutOfTime } from "#base/kernel/deadline.ts";
import { isServiceFault } from "#base/kernel/service-fault.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { IngestPorts } from "../ports.ts";
import { conversationId, hasRetentionEnded } from "../rules/messages.ts";
import type { IgnoredUpdate, Update } from "../rules/updates.ts";
import type { ConversationSnapshot } from "../store/conversations.ts";
import { applyAccountPolicy } from "./apply-account-policy.ts";
import { applyMessageChange } from "./apply-message-change.ts";
import { ingestMessage } from "./ingest-message.ts";
import { publishReferral } from "./publish-referral.ts";
import type { ResolveAccount, ResolvedAccount } from "./resolve-account.ts";
import type { UpdateContext } from "./update-context.ts";

/** How many updates of each platform are for accounts that no tenant had at their time. */
export type UnknownAccounts = Map<string, number>;

interface UpdatesContext extends Pick<UpdateContext, "effects" | "now"> {
  /** When the webhook arrived: no update is later. Default: now. */
  readonly receivedAt?: Millis;
  /** Gets the updates of unknown accounts. Default: they are logged. */
  readonly unknownAccounts?: UnknownAccounts;
  /** Conversations that were read for the whole batch. Default: each part reads its own. */
  readonly snapshots?: Snapshots;
}

/** Conversations by id, as they were read before their inbound messages. */
export type Snapshots = ReadonlyMap<string, ConversationSnapshot>;

/**
 * The conversations whose messages need no current head: they may be read together with those of other parts. None where one
 * of the updates needs it, because the part reads all of its own then.
 */
export async function conversationsOfMessages(
  resolveAccount: ResolveAccount,
  updates: readonly Update[],
  times: UpdateTimes,
): Promise<readonly string[]> {
  const { routed } = await routeUpdates(resolveAccount, updates, times);
  return routed.some(needsCurrentHead) ? [] : routed.flatMap(({ conversation }) => conversation ?? []);
}

/** An update of a connected account. */
interface RoutedUpdate {
  readonly update: Exclude<Update, IgnoredUpdate>;
  readonly account: ResolvedAccount;
  /** Null for an update that belongs to no conversation. */
  readonly conversation: string | null;
}

/**
 * Ingests the updates of one part of a webhook in their order. An update that fails holds up no later one, unless a service
 * does not work: then the later ones wait for it.
 * @throws the first failure
 */
export async function ingestUpdates(
  ports: IngestPorts,
  resolveAccount: ResolveAccount,
  updates: readonly Update[],
  { effects, now, receivedAt = now, unknownAccounts, snapshots: batchSnapshots }: UpdatesContext,
): Promise<void> {
  const { routed: routedUpdates, unrouted } = await routeUpdates(resolveAccount, updates, { receivedAt, now });
  const unknown: UnknownAccounts = unknownAccounts ?? new Map();
  for (const platform of unrouted) unknown.set(platform, (unknown.get(platform) ?? 0) + 1);
  if (!unknownAccounts) logUnknownAccounts(ports, unknown);

  const ids = routedUpdates.flatMap(({ conversation }) => conversation ?? []);
  const consistent = routedUpdates.some(needsCurrentHead);
  const isRead = !consistent && batchSnapshots !== undefined && ids.every((id) => batchSnapshots.has(id));
  const snapshots = isRead ? batchSnapshots : await ports.conversations.snapshots(ids, { consistent });
  const failures: unknown[] = [];
  for (const { update, account, conversation } of routedUpdates) {
    const snapshot = conversation === null ? null : (snapshots.get(conversation) ?? null);
    try {
      await ingestUpdate(ports, update, { account, snapshot, effects, now, receivedAt });
    } catch (error) {
      failures.push(error);
      if (isServiceFault(error) || error instanceof OutOfTime) break;
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** When the webhook of updates arrived, and when they are processed. */
interface UpdateTimes {
  readonly receivedAt: Millis;
  readonly now: Millis;
}

/** The updates of connected accounts, and the platforms of the others. */
async function routeUpdates(
  resolveAccount: ResolveAccount,
  updates: readonly Update[],
  { receivedAt, now }: UpdateTimes,
): Promise<{ readonly routed: readonly RoutedUpdate[]; readonly unrouted: readonly string[] }> {
  const routed: RoutedUpdate[] = [];
  const unrouted: string[] = [];
  for (const update of updates) {
    if (update.kind === "ignored") continue;
    const account = await resolveAccount(update.account, { at: Math.min(update.at, receivedAt), now });
    if (account) routed.push({ update, account, conversation: conversationIdFor(update, account) });
    else unrouted.push(update.account.platform);
  }
  return { routed, unrouted };
}

export function logUnknownAccounts({ log }: Pick<IngestPorts, "log">, accounts: UnknownAccounts): void {
  for (const [platform, updates] of accounts) log({ event: "account.unknown", platform, updates });
}

function conversationIdFor(update: RoutedUpdate["update"], { tenant }: ResolvedAccount): string | null {
  switch (update.kind) {
    case "message":
    case "unsend":
    case "edit":
    case "reaction":
    case "referral":
      return conversationId({ ...update, tenant });
    default:
      return null;
  }
}

/**
 * Whether an update must see an erasure that has just started. An inbound message sees it when it advances the head. A
 * change or a referral advances no head, and an echo of an erased send may be newer than the erasure.
 */
function needsCurrentHead({ update, conversation }: RoutedUpdate): boolean {
  return conversation !== null && !(update.kind === "message" && update.echo === null);
}

/** @param context.snapshot null for an update that belongs to no conversation */
async function ingestUpdate(
  ports: IngestPorts,
  update: RoutedUpdate["update"],
  { snapshot, ...context }: Omit<UpdateContext, "snapshot"> & { readonly snapshot: ConversationSnapshot | null },
): Promise<void> {
  if (update.kind === "policy") return applyAccountPolicy(ports, update, context);
  if (!snapshot || hasRetentionEnded(update.at, context.now)) return;
  switch (update.kind) {
    case "message":
      return ingestMessage(ports, update, { ...context, snapshot });
    case "unsend":
    case "edit":
    case "reaction":
      return applyMessageChange(ports, update, { ...context, snapshot });
    case "referral":
      return publishReferral(ports, update, { ...context, snapshot });
    default:
      // Nothing of a read or delivered update is stored.
      return;
  }
}
