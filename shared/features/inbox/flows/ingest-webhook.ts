import { OutOfTime } from "#base/kernel/deadline.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { allDone, concurrencyLimit } from "#base/kernel/parallel.ts";
import { isServiceFault } from "#base/kernel/service-fault.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { type Effects, mergeEffects, newEffects } from "../effects.ts";
import type { IngestPorts } from "../ports.ts";
import { type Positions, planWebhook } from "../rules/raw-webhooks.ts";
import {
  conversationsOfMessages,
  ingestUpdates,
  logUnknownAccounts,
  type Snapshots,
  type UnknownAccounts,
} from "./ingest-updates.ts";
import type { ResolveAccount, ResolvedAccount } from "./resolve-account.ts";

/** A part of a webhook that is ingested as a message of its own. */
export interface QueuedPart {
  readonly positions: Positions;
  readonly delay?: Millis;
}

/** What remains of a webhook, and why. */
export interface RemainingParts {
  readonly parts: readonly QueuedPart[];
  /** Those that failed. */
  readonly failed: number;
  /** The class of the first failure's error. */
  readonly error: string | null;
}

/** A webhook as it arrived. */
interface RawWebhook {
  readonly raw: Uint8Array;
  readonly receivedAt: Millis;
}

interface IngestedWebhook extends RawWebhook {
  /** Gets what the parts queue and count, also those of a part that fails: what they are about is stored. */
  readonly effects: Effects;
  /** Conversations that were read for the whole batch. */
  readonly snapshots?: Snapshots;
  readonly now: Millis;
}

const PARTS_AT_ONCE = 10;

/** As long as a message waits after its first failure. */
const FAILED_PART_DELAY: Millis = 5 * SECOND;

/** The most conversations that one request reads. */
const READ_TOGETHER_MAX = 100;

/**
 * Reads the conversations of a batch's inbound messages together, so that one that several webhooks are about is read once.
 * The webhooks of a batch are ingested beside each other anyway: the conditions of the writes decide, and an erasure or a change
 * in between shows when the head is advanced. Where this fails, or there are too many, each part reads its own.
 */
export async function readSnapshots(
  ports: Pick<IngestPorts, "conversations" | "parseUpdates">,
  resolveAccount: ResolveAccount,
  webhooks: readonly RawWebhook[],
  now: Millis,
): Promise<Snapshots> {
  try {
    const ids = await allDone(
      webhooks.flatMap(({ raw, receivedAt }) => {
        const updates = ports.parseUpdates(raw, receivedAt);
        return planWebhook(updates).parts.map((positions) => {
          const partUpdates = positions.flatMap((position) => updates[position] ?? []);
          return conversationsOfMessages(resolveAccount, partUpdates, { receivedAt, now });
        });
      }),
    );
    const distinct = new Set(ids.flat());
    const isShared = distinct.size > 0 && ids.length > 1 && distinct.size <= READ_TOGETHER_MAX;
    return isShared ? await ports.conversations.snapshots([...distinct]) : new Map();
  } catch {
    return new Map();
  }
}

/**
 * Ingests a webhook by conversation. A part that fails delays no other.
 * @returns the parts to queue: those that failed, and those for which there was no time. The webhook is done when they
 * are queued
 * @throws the first failure, where the whole message is to be repeated: it is one part, nothing of it can be stored in an
 * outage, or its time is over
 */
export async function ingestWebhook(
  ports: IngestPorts,
  resolveAccount: ResolveAccount,
  { raw, receivedAt, effects, snapshots = new Map(), now }: IngestedWebhook,
): Promise<RemainingParts> {
  const updates = ports.parseUpdates(raw, receivedAt);
  const { parts, later } = planWebhook(updates);
  const queuedLater = later.map((positions) => ({ positions }));
  const limit = concurrencyLimit(PARTS_AT_ONCE);
  const unknownAccounts: UnknownAccounts = new Map();
  const results = await allDone(
    parts.map((positions) =>
      limit(async () => {
        const partEffects = newEffects();
        const partUpdates = positions.flatMap((position) => updates[position] ?? []);
        const context = { effects: partEffects, now, receivedAt, unknownAccounts, snapshots };
        const failure = await ingestUpdates(ports, resolveAccount, partUpdates, context).then(
          () => null,
          (error: unknown) => ({ error }),
        );
        return { positions, partEffects, failure };
      }),
    ),
  );
  logUnknownAccounts(ports, unknownAccounts);
  for (const { partEffects } of results) mergeEffects(effects, partEffects);

  const failures = results.flatMap(({ positions, failure }) => (failure ? [{ positions, ...failure }] : []));
  const [first] = failures;
  if (!first) return { parts: queuedLater, failed: 0, error: null };
  const isOnePart = parts.length + later.length === 1;
  const isOutage = failures.length === parts.length && failures.every(({ error }) => isServiceFault(error));
  const outOfTime = failures.find(({ error }) => error instanceof OutOfTime);
  if (isOnePart || isOutage || outOfTime) throw (outOfTime ?? first).error;
  const failedParts = failures.map(({ positions }) => ({ positions, delay: FAILED_PART_DELAY }));
  return { parts: [...failedParts, ...queuedLater], failed: failures.length, error: errorClass(first.error) };
}

/** Resolves an account once for each time of an update, within one batch. */
export function resolveOnce(resolveAccount: ResolveAccount): ResolveAccount {
  const resolved = new Map<string, Promise<ResolvedAccount | null>>();
  return (ref, time) => {
    const key = `${accountKey(ref)} ${time.at}`;
    const account = resolved.get(key) ?? resolveAccount(ref, time);
    resolved.set(key, account);
    return account;
  };
}
