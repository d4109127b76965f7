import type { Cost } from "../support/pipeline.ts";

/** What a thing may cost at most. A figure over its target is a waste to find, not a target to raise. */
export const costTargets = {
  inboundWithOneEndpoint: { wcu: 9, rcu: 1.5, sqs: 1.7 },
  // Each further endpoint may cost its delivery's row, and nothing on the queues.
  inboundWithTwoEndpoints: { wcu: 10, rcu: 1.5, sqs: 1.7 },
  inboundWithFiveEndpoints: { wcu: 13, rcu: 1.5, sqs: 1.7 },
  // The budgets are exact: 6 for a transaction of the record and both counts, 2 for what settles it if its sender dies.
  reply: { wcu: 16, rcu: 3, sqs: 1 },
  inboxPage: { wcu: 0, rcu: 4.5, sqs: 0 },
  detailPage: { wcu: 0, rcu: 3.5, sqs: 0 },
  // Its row, and its part of what the batch counts.
  firstAttempt: { wcu: 1.2, rcu: 0.6, sqs: 0.2 },
  // Beside what the batch writes once: the counter of what deliveries ended in, and how often their endpoint failed.
  retry: { wcu: 4, rcu: 2, sqs: 1.2 },
} as const satisfies Record<string, Cost>;
