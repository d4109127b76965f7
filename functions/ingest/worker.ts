import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { merge, noEffects } from "../../shared/flows/inbox/effects.ts";
import { growFeeds } from "../../shared/flows/inbox/grow-feeds.ts";
import { keepRawCopies, openInbound } from "../../shared/flows/inbox/inbound-copies.ts";
import { ingestUpdates } from "../../shared/flows/inbox/ingest-updates.ts";
import { sendProfileRequests } from "../../shared/flows/inbox/profile-requests.ts";
import { accountHomes, type FindHome } from "../../shared/flows/inbox/resolve-account.ts";
import type { IngestPorts } from "../../shared/flows/ports.ts";
import { done, drop, type RecordEnd } from "../../shared/flows/record-outcome.ts";
import { keepTally, mergeTally } from "../../shared/flows/stats/count.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { readInbound } from "../../shared/queues/messages.ts";
import { endBatch, type Invocation } from "../worker/batch.ts";

const noPostponing = async () => {};

/**
 * The ingest worker: raw copies first, then every update of the batch, then all announcements together, then the people
 * to be looked up. A record is done once its announcements are queued; the file a large webhook came in is removed last.
 */
export function ingestWorker(ports: IngestPorts, now: () => Millis) {
  const findHome = accountHomes(ports);
  return (event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> =>
    endBatch("ingest", event, invocation, ports.log, noPostponing, (records) => {
      const batch = ingest(ports, findHome, records, now());
      return new Map(records.map((record) => [record.messageId, batch.then((ends) => endIn(ends, record))]));
    });
}

function endIn(ends: ReadonlyMap<string, RecordEnd | Error>, record: SQSRecord): RecordEnd {
  const end = ends.get(record.messageId);
  if (!end) throw new Error("A record was passed over.");
  if (end instanceof Error) throw end;
  return end;
}

async function ingest(
  ports: IngestPorts,
  findHome: FindHome,
  records: readonly SQSRecord[],
  now: Millis,
): Promise<Map<string, RecordEnd | Error>> {
  const ends = new Map<string, RecordEnd | Error>();
  const opened = await Promise.all(records.map((record) => open(ports, record, ends)));
  const webhooks = opened.filter((webhook) => webhook !== null);
  await keepRawCopies(ports, records[0]?.messageId ?? "empty", webhooks, now);

  const effects = noEffects();
  const recorded = await Promise.all(
    webhooks.map(async (webhook) => {
      const own = noEffects();
      try {
        await ingestUpdates(ports, findHome, ports.parseUpdates(webhook.raw), own, now);
        merge(effects, own);
        return webhook;
      } catch (error) {
        // What it did store is there when it comes again, and is not counted then.
        mergeTally(effects.stored, own.stored);
        ends.set(webhook.id, asError(error));
        return null;
      }
    }),
  );
  const counted = keepTally(ports, effects.stored, now, (tenant, messagesInHour) =>
    growFeeds(ports.tenantStates, tenant, messagesInHour),
  );
  await ports.events.sendAll(effects.announcements).finally(() => counted);
  await sendProfileRequests(ports, effects);
  await Promise.all(
    recorded.map(async (webhook) => {
      if (!webhook) return;
      if (webhook.file) await ports.files.remove(webhook.file);
      ends.set(webhook.id, done);
    }),
  );
  return ends;
}

interface OpenedWebhook {
  readonly id: string;
  readonly file: string | null;
  readonly receivedAt: Millis;
  readonly raw: Uint8Array;
}

async function open(
  ports: IngestPorts,
  record: SQSRecord,
  ends: Map<string, RecordEnd | Error>,
): Promise<OpenedWebhook | null> {
  const inbound = readInbound(record.body);
  if (!inbound) {
    // Kept for a person to look at: after five receives it is a dead letter with its quarantine row.
    ends.set(record.messageId, new UnreadableRecord("This is not a message of the inbound queue."));
    return null;
  }
  try {
    const raw = await openInbound(ports, inbound);
    if (raw) return { id: record.messageId, file: inbound.file, receivedAt: inbound.receivedAt, raw };
    // The file is removed last: a repeated record whose file is gone was done before.
    ends.set(record.messageId, drop("gone"));
  } catch (error) {
    ends.set(record.messageId, asError(error));
  }
  return null;
}

class UnreadableRecord extends Error {
  override readonly name = "UnreadableRecord";
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error("A value that is no error was thrown.");
}
