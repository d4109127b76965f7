import type { Cost } from "../support/pipeline.ts";

/** What a thing may cost at most. A figure over its target is a waste to find, not a target to raise. */
export const targets = {
  inboundWithOneEndpoint: { wcu: 9, rcu: 1.5, sqs: 1.7 },
  // Each further endpoint may cost its delivery's row, and nothing on the queues.
  inboundWithTwoEndpoints: { wcu: 10, rcu: 1.5, sqs: 1.7 },
  inboundWithFiveEndpoints: { wcu: 13, rcu: 1.5, sqs: 1.7 },
  reply: { wcu: 9, rcu: 2, sqs: 1 },
  inboxPage: { wcu: 0, rcu: 4.5, sqs: 0 },
  detailPage: { wcu: 0, rcu: 3.5, sqs: 0 },
  retry: { wcu: 4, rcu: 2, sqs: 1.2 },
  // A tenth of a unit for the counter of what it ended in.
  retryThatEnds: { wcu: 4.1, rcu: 2, sqs: 1.2 },
} as const satisfies Record<string, Cost>;
