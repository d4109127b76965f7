import type { Cost } from "../support/pipeline.ts";

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
