import type { MessageUsage } from "../../bin/bill/message-price.ts";
import type { Cost, FullCost } from "../support/pipeline.ts";

// The maximum cost of each operation: the calls that it needs by the units that AWS bills for them. When a figure exceeds its
// target, find the waste. Sources: "Read/write capacity mode" of DynamoDB, "Pricing" of SQS. Two are lengths of what Parley
// writes, rounded up: its log lines, and the compressed copy of a webhook.

/** A write or a row's entry in an index, of up to 1 KB. */
const WRITE = 1;
/** An index entry whose key changes is removed and written. */
const MOVED_ENTRY = 2 * WRITE;
const IN_TRANSACTION = 2 * WRITE;
/** An eventually consistent read of an item of up to 4 KB. */
const READ = 0.5;
const CONSISTENT_READ = 1;
/** A query bills the bytes of all its rows together. */
const READ_BYTES = 4_096;

/** With the ids, texts and names of the cost tests. Source: docs/design/table-keys.md. */
const HEAD_BYTES = 677;
const MESSAGE_BYTES = 540;
/** A page, and one row more, which says whether another page follows. */
const PAGE_ROWS = 50 + 1;

/** A message is in its conversation, in the order of the tenant, and by its id. */
const MESSAGE = 3 * WRITE;
/** A conversation is at its place in the inbox, which moves. */
const HEAD = WRITE + MOVED_ENTRY;
/** The compressed copy of a webhook of 0.7 KB, with its keys. */
const RAW_COPY_KB = 0.3;

/** How messages come. */
interface Arrival {
  /** How many messages a worker receives at once. */
  readonly batch: number;
  readonly endpoints: number;
  /** Open sockets of the tenant. */
  readonly sockets: number;
}

/** One message of a known person, from the platform's POST to the receivers. */
export function inboundTarget({ batch, endpoints, sockets }: Arrival): FullCost {
  const once = 1 / batch;
  return rounded({
    wcu: MESSAGE + HEAD + delivered(endpoints, once) + rawCopies(batch),
    // The head, the message, and once a batch the endpoints. DynamoDB bills each item of a BatchGetItem.
    rcu: 2 * READ + once * READ + pushedReads(sockets, once),
    // Each is sent by itself. A batch is received and deleted, and its events are sent, received and deleted.
    sqs: 1 + 5 * once + pushedRequests(sockets, once),
    objects: 0,
    frames: sockets,
  });
}

/** What the lookup of a person costs whose first event waits for the name. */
const LOOKUP = {
  // In a transaction the claim of the event, the message at two places, and a condition on the head; then the head at two places.
  wcu: 3 * IN_TRANSACTION + WRITE + 2 * WRITE,
  // The head, the account before and after the call, and the oldest messages.
  rcu: 4 * CONSISTENT_READ,
};

/** The first message of a person, whose name is found before the end of its event's wait. */
export function firstTarget(arrival: Arrival): FullCost {
  const { batch, endpoints } = arrival;
  const once = 1 / batch;
  const { wcu, rcu, sqs, ...others } = inboundTarget(arrival);
  return rounded({
    ...others,
    // A new conversation has no former place in the inbox.
    wcu: wcu - MOVED_ENTRY + WRITE + LOOKUP.wcu,
    // The event that waited finds the message and a row of each delivery, and its batch reads the endpoints.
    rcu: rcu + LOOKUP.rcu + READ + endpoints * CONSISTENT_READ + once * READ,
    // The lookup is sent, received and deleted, and sends the event by itself, which is received and deleted.
    sqs: sqs + 3 * once + 1 + 2 * once,
  });
}

/** One reply through the API, its delivery and its echo, without the key and its minute. */
export function replyTarget({ batch, endpoints, sockets }: Arrival): FullCost {
  const once = 1 / batch;
  const { wcu, rcu, sqs } = costTargets.reply;
  return rounded({
    wcu: wcu + delivered(endpoints, once) + rawCopies(batch),
    // The message and once a batch the endpoints. Of the echo the head, its marker and the due item.
    rcu: rcu + READ + once * READ + CONSISTENT_READ + 2 * READ + pushedReads(sockets, once),
    // The echo is sent by itself. Both batches are received and deleted.
    sqs: sqs + 1 + 4 * once + pushedRequests(sockets, once),
    objects: 0,
    frames: sockets,
  });
}

/** A row of each delivery, and once a batch the counters. */
function delivered(endpoints: number, once: number): number {
  return endpoints * WRITE + once * WRITE;
}

function rawCopies(batch: number): number {
  return (Math.ceil(batch * RAW_COPY_KB) * WRITE) / batch;
}

/** The conversation with its message, and once a batch the sockets. */
function pushedReads(sockets: number, once: number): number {
  return sockets > 0 ? READ + once * READ : 0;
}

function pushedRequests(sockets: number, once: number): number {
  return sockets > 0 ? 3 * once : 0;
}

/** An eventually consistent query of rows of so many bytes. */
function queryReads(bytes: number): number {
  return Math.ceil(bytes / READ_BYTES) * READ;
}

/**
 * One retry: the attempt is claimed and settled, its endpoint and its message are read. Excludes what the batch writes once:
 * the delivery counters and the endpoint's failure count.
 * @param end `again`: it failed, and the next one is sent to the queue. `later`: the next one is a due item in the table.
 * `delivered`: the row leaves the index of undelivered ones
 */
export function retryTarget(batch: number, end: "again" | "later" | "delivered"): Cost {
  return rounded({
    wcu: 2 * WRITE + (end === "again" ? 0 : WRITE),
    rcu: CONSISTENT_READ + READ,
    // A batch is received and deleted.
    sqs: 2 / batch + (end === "again" ? 1 : 0),
  });
}

export const costTargets = {
  // The record of the send and two budgets in a transaction; the due item written and removed; the record settled, the
  // marker of the platform's id. The head, the account and the budgets are read.
  reply: { wcu: 3 * IN_TRANSACTION + 4 * WRITE + MESSAGE + HEAD, rcu: 3 * CONSISTENT_READ, sqs: 1 },
  // One query of heads.
  inboxPage: { wcu: 0, rcu: queryReads(PAGE_ROWS * HEAD_BYTES), sqs: 0 },
  // One query of the head and the messages.
  detailPage: { wcu: 0, rcu: queryReads(HEAD_BYTES + PAGE_ROWS * MESSAGE_BYTES), sqs: 0 },
  // Its row, and its share of what a batch of ten reads and counts.
  firstAttempt: { wcu: 1.1 * WRITE, rcu: 1.1 * READ, sqs: 0.2 },
  // The upload, its place at its conversation, and the conversation is checked. The head and the account are read.
  createUpload: { wcu: 3 * IN_TRANSACTION, rcu: 2 * CONSISTENT_READ, sqs: 0 },
  // The hand-over starts. The upload, the head and the account are read.
  finishUpload: { wcu: WRITE, rcu: 3 * CONSISTENT_READ, sqs: 1 },
  readUpload: { wcu: 0, rcu: CONSISTENT_READ, sqs: 0 },
  // The attachment's account, and the upload is ready. Upload and head are read, and the account before and after the call.
  uploadHandOver: { wcu: 2 * WRITE, rcu: 2 * READ + 2 * CONSISTENT_READ, sqs: 0 },
  // More than the same images by URL: the account of each.
  tenAttachmentIds: { wcu: 0, rcu: 10 * READ, sqs: 0 },
} as const satisfies Record<string, Cost>;

/** Bytes of the lines that a message needs, with the 26 that CloudWatch adds to each. */
const logLines = { webhook: 230, send: 170, invocation: 170, metrics: 370, latency: 10, delivery: 460 };

/** What AWS bills of a message that costs no more than its targets. Its price is the target in dollars. */
export function usageTarget(arrival: Arrival, cost: FullCost, isReply: boolean): MessageUsage {
  const { batch, endpoints, sockets } = arrival;
  const once = 1 / batch;
  const pushes = sockets > 0 ? once : 0;
  const replies = isReply ? 1 : 0;
  return {
    ...cost,
    // The key is read, and its minute counted.
    wcu: cost.wcu + replies * WRITE,
    rcu: cost.rcu + replies * CONSISTENT_READ,
    messages: 1,
    replies,
    deliveries: endpoints,
    invocations: { Intake: 1, Ingest: once, Deliver: once, Api: replies, Push: pushes },
    handled: { Ingest: 1, Deliver: 1, Push: sockets > 0 ? 1 : 0 },
    logBytes:
      logLines.webhook +
      replies * logLines.send +
      (2 * once + pushes) * logLines.invocation +
      once * logLines.metrics +
      endpoints * (logLines.delivery + logLines.latency),
    secrets: { Deliver: endpoints, Api: 1 },
  };
}

function rounded<C extends Cost>(cost: C): C {
  return Object.fromEntries(
    Object.entries(cost).map(([unit, value]) => [unit, Math.round(value * 1_000) / 1_000]),
  ) as unknown as C;
}
