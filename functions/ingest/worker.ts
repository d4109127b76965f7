import type { SQSRecord } from "aws-lambda";
import { QUEUE_DELAY_MAX, RETENTION } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { readFirstSentAt, readTraceId, withFirstSentAt } from "#base/queues/envelope.ts";
import { done, drop, type RecordOutcome, unreadable } from "#base/queues/record-outcome.ts";
import { mergeEffects, newEffects, sendProfileRequests } from "#features/inbox/effects.ts";
import { loadInbound, queueParts, storeRawCopies } from "#features/inbox/flows/inbound-webhooks.ts";
import {
  ingestWebhook,
  type RemainingParts,
  readSnapshots,
  resolveOnce,
} from "#features/inbox/flows/ingest-webhook.ts";
import { accountResolver, type ResolveAccount } from "#features/inbox/flows/resolve-account.ts";
import { inboundPostponement } from "#features/inbox/flows/waiting-order.ts";
import type { IngestPorts } from "#features/inbox/ports.ts";
import { decodeInbound, encodeInbound, type InboundMessage } from "#features/inbox/queue.ts";
import { rawCopiesName } from "#features/inbox/rules/raw-webhooks.ts";
import { saveTally } from "#features/stats/count.ts";
import { processRecords, type WorkerPorts } from "../worker/batch.ts";
import { queueWorker } from "../worker/middleware.ts";

const worker = "ingest";

/** The last new message of a webhook in an outage is gone before the webhook is 7 days old. */
const WEBHOOK_WAIT: Millis = RETENTION - QUEUE_DELAY_MAX;

/** When a raw copy that could not be stored is tried again. */
const COPY_DELAY: Millis = MINUTE;
const COPY_REQUEST_TIMEOUT: Millis = 2 * SECOND;

/**
 * The ingest worker: ingests every update of the batch, sends all events together, and requests profiles. Beside that it
 * stores the raw copies, which hold nothing up: a copy that fails is requested by a message of its own. A record is done
 * when its events are queued, and the parts of it that remain. The file of a large webhook is removed last.
 */
export function ingestWorker(ports: IngestPorts & WorkerPorts, now: () => Millis) {
  const resolveAccount = accountResolver(ports);
  const { log } = ports;
  return queueWorker(worker, log, (event, context) =>
    processRecords(
      event,
      context,
      {
        worker,
        ports,
        outage: { now, life: () => WEBHOOK_WAIT, delay: (body, at) => inboundPostponement(ports, body, at) },
      },
      (records) => {
        const batch = ingest(ports, resolveOnce(resolveAccount), records, now());
        return new Map(
          records.map((record) => [record.messageId, batch.then((outcomes) => requireOutcome(outcomes, record))]),
        );
      },
    ),
  );
}

function requireOutcome(outcomes: ReadonlyMap<string, RecordOutcome | Error>, record: SQSRecord): RecordOutcome {
  const outcome = outcomes.get(record.messageId);
  if (!outcome) throw new Error("A record has no outcome.");
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

async function ingest(
  ports: IngestPorts & WorkerPorts,
  resolveAccount: ResolveAccount,
  records: readonly SQSRecord[],
  now: Millis,
): Promise<Map<string, RecordOutcome | Error>> {
  const outcomes = new Map<string, RecordOutcome | Error>();
  const inboundWebhooks = await allDone(records.map((record) => loadWebhook(ports, record, outcomes)));
  const webhooks = inboundWebhooks.filter((webhook) => webhook !== null);
  const uncopiedWebhooks = webhooks.filter(({ inbound }) => !inbound.part);
  const copies = storeRawCopies(ports, rawCopiesName(uncopiedWebhooks.map(({ id }) => id)), uncopiedWebhooks, now).then(
    () => null,
    toError,
  );

  const messages = webhooks.filter(({ inbound }) => !inbound.isCopyOnly);
  const snapshots = await readSnapshots(ports, resolveAccount, messages, now);
  const effects = newEffects();
  const ingestedWebhooks = await allDone(
    webhooks.map(async (webhook): Promise<IngestedWebhook | null> => {
      if (webhook.inbound.isCopyOnly) return { ...webhook, remaining: null };
      const webhookEffects = newEffects();
      try {
        const remaining = await runWithTrace(webhook.inbound.traceId ?? null, () =>
          ingestWebhook(ports, resolveAccount, { ...webhook, effects: webhookEffects, snapshots, now }),
        );
        return { ...webhook, remaining };
      } catch (error) {
        outcomes.set(webhook.id, toError(error));
        return null;
      } finally {
        // Also where it failed. A repetition of the webhook does not find as new what is stored, so its events and
        // counts are those of this run.
        mergeEffects(effects, webhookEffects);
      }
    }),
  );
  const countersSaved = saveTally(ports, effects.tally, now);
  try {
    await ports.events.sendAll(effects.events).finally(() => countersSaved);
    await sendProfileRequests(ports, effects);
  } finally {
    await copies;
  }
  const copyFault = await copies;
  if (copyFault)
    ports.log({ event: "raw_copies.store_failed", error: copyFault.name, webhooks: uncopiedWebhooks.length });
  await allDone(
    ingestedWebhooks.map(async (webhook) => {
      if (webhook) outcomes.set(webhook.id, await endWebhook(ports, webhook, { copyFault, now }).catch(toError));
    }),
  );
  return outcomes;
}

/**
 * Ends a webhook whose messages are stored, and queues the parts that remain of it. Without its copy its file stays, which
 * the message for the copy names.
 */
async function endWebhook(
  ports: IngestPorts & WorkerPorts,
  webhook: IngestedWebhook,
  { copyFault, now }: { readonly copyFault: Error | null; readonly now: Millis },
): Promise<RecordOutcome | Error> {
  const { id, record, inbound, remaining } = webhook;
  if (remaining && remaining.parts.length > 0) {
    await queueParts(ports, { ...webhook, waitedSince: waitingSince(webhook, now) }, remaining.parts);
    const { parts, failed, error } = remaining;
    const traceId = readTraceId(record.body);
    ports.log({ event: "webhook.split", message_id: id, parts: parts.length, failed, error, trace_id: traceId });
  }
  if (copyFault && !inbound.part) {
    if (inbound.isCopyOnly) return copyFault;
    const body = withFirstSentAt(encodeInbound({ ...inbound, isCopyOnly: true }), inbound.receivedAt);
    const message = { body, delay: COPY_DELAY };
    await ports.receivedMessages.sendBack(record.eventSourceARN, message, AbortSignal.timeout(COPY_REQUEST_TIMEOUT));
  } else if (inbound.file) {
    await ports.files.remove(inbound.file);
  }
  return done;
}

/** When a webhook was first sent that waited for the end of an outage, or for a redrive; null for a new one. */
function waitingSince({ record, receivedAt }: InboundWebhook, now: Millis): Millis | null {
  return readFirstSentAt(record.body) ?? (now - receivedAt > QUEUE_DELAY_MAX ? receivedAt : null);
}

interface IngestedWebhook extends InboundWebhook {
  /** Null for a webhook whose messages were stored before. */
  readonly remaining: RemainingParts | null;
}

interface InboundWebhook {
  readonly id: string;
  readonly record: SQSRecord;
  readonly inbound: InboundMessage;
  readonly receivedAt: Millis;
  readonly raw: Uint8Array;
}

async function loadWebhook(
  ports: IngestPorts,
  record: SQSRecord,
  outcomes: Map<string, RecordOutcome | Error>,
): Promise<InboundWebhook | null> {
  const inbound = decodeInbound(record.body);
  if (!inbound) {
    outcomes.set(record.messageId, unreadable);
    return null;
  }
  try {
    const raw = await loadInbound(ports, inbound);
    if (raw) return { id: record.messageId, record, inbound, receivedAt: inbound.receivedAt, raw };
    // The file is removed last, so a repeated record without its file was done before.
    outcomes.set(record.messageId, drop("gone"));
  } catch (error) {
    outcomes.set(record.messageId, toError(error));
  }
  return null;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error("A thrown value is not an Error.");
}
