import type { Cost, FullCost } from "../support/pipeline.ts";

/** The maximum cost of each operation. When a figure exceeds its target, find the waste; do not raise the target. */
export const costTargets = {
  inboundWithOneEndpoint: { wcu: 9, rcu: 1.5, sqs: 1.7 },
  // Each further endpoint may cost its delivery's row and no queue request.
  inboundWithTwoEndpoints: { wcu: 10, rcu: 1.5, sqs: 1.7 },
  inboundWithFiveEndpoints: { wcu: 13, rcu: 1.5, sqs: 1.7 },
  // Budgets are exact: 6 for the transaction of the record and both counts, 2 for the due item that settles it if the sender dies.
  reply: { wcu: 16, rcu: 3, sqs: 1 },
  inboxPage: { wcu: 0, rcu: 4.5, sqs: 0 },
  detailPage: { wcu: 0, rcu: 3.5, sqs: 0 },
  // Its row, and its share of the batch's counters.
  firstAttempt: { wcu: 1.2, rcu: 0.6, sqs: 0.2 },
  // Excludes what the batch writes once: the delivery counters and the endpoint's failure count.
  retry: { wcu: 4, rcu: 2, sqs: 1.2 },
  createUpload: { wcu: 8, rcu: 3, sqs: 0 },
  finishUpload: { wcu: 3, rcu: 3, sqs: 1 },
  readUpload: { wcu: 0, rcu: 1, sqs: 0 },
  uploadHandOver: { wcu: 4, rcu: 3, sqs: 0 },
  // More than the same images by URL.
  tenAttachmentIds: { wcu: 0, rcu: 5, sqs: 0 },
} as const satisfies Record<string, Cost>;

/** The same of a message to two endpoints in batches of ten and of one, by the number of open sockets. */
export const batchTargets: readonly {
  readonly batch: number;
  readonly sockets: number;
  readonly inbound: FullCost;
  readonly reply: FullCost;
}[] = [
  {
    batch: 10,
    sockets: 0,
    inbound: { wcu: 8.5, rcu: 1.05, sqs: 1.5, objects: 0, frames: 0 },
    reply: { wcu: 18.5, rcu: 6, sqs: 2.5, objects: 0, frames: 0 },
  },
  {
    batch: 10,
    sockets: 1,
    inbound: { wcu: 8.5, rcu: 2.05, sqs: 1.8, objects: 0, frames: 1 },
    reply: { wcu: 18.5, rcu: 7, sqs: 2.8, objects: 0, frames: 1 },
  },
  {
    batch: 1,
    sockets: 0,
    inbound: { wcu: 10, rcu: 1.5, sqs: 6, objects: 0, frames: 0 },
    reply: { wcu: 20, rcu: 6, sqs: 6, objects: 0, frames: 0 },
  },
  {
    batch: 1,
    sockets: 1,
    inbound: { wcu: 10, rcu: 2.5, sqs: 9, objects: 0, frames: 1 },
    reply: { wcu: 20, rcu: 7, sqs: 9, objects: 0, frames: 1 },
  },
];
