import { describe, expect, test } from "vitest";
import { deriveUlid } from "#base/kernel/ids.ts";
import { FIRST_EVENT_WAIT } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { authenticate, enforceRateLimit } from "#features/access/authenticate.ts";
import {
  detailPageCost,
  freshWorkspace,
  inboundMessageCost,
  inboxPageCost,
  KEY_AND_RATE,
  perMessage,
  replyCost,
  sendReply,
} from "../bench/scenarios.ts";
import { costTargets, inboundTarget, retryTarget } from "../bench/targets.ts";
import { PLATFORM_SECRET } from "../support/host/emulated-services.ts";
import { openedOnce } from "../support/opened.ts";
import { joinWebhooks } from "../support/pipeline/traffic.ts";
import { everyoneWrites, introduce, type Workspace } from "../support/pipeline/workspace.ts";
import type { Cost } from "../support/pipeline.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// Counts units, which are deterministic, and no time. docs/design/table-costs.md shows the same figures.

const pipeline = openedOnce(startMeteredPipeline);

const tensTarget = (endpoints: number) => inboundTarget({ batch: 10, endpoints, sockets: 0 });

/** Asserts the exact cost, and that it is within its target if it has one. */
function expectCost(measured: Cost, exact: Cost, target: Cost = exact): void {
  for (const unit of ["wcu", "rcu", "sqs"] as const) {
    expect(measured[unit], `${measured[unit]} ${unit}, the target is ${target[unit]}`).toBeLessThanOrEqual(
      target[unit],
    );
  }
  expect(measured).toEqual(exact);
}

test("one inbound message of a batch of ten with one endpoint has an exact cost within its target", async () => {
  const cost = await inboundMessageCost(pipeline, { endpoints: 1 });
  expectCost(cost, { wcu: 7.2, rcu: 1.05, sqs: 1.5 }, tensTarget(1));
});

test("one inbound message of a batch of ten with two endpoints costs one more row", async () => {
  const cost = await inboundMessageCost(pipeline, { endpoints: 2 });
  expectCost(cost, { wcu: 8.2, rcu: 1.05, sqs: 1.5 }, tensTarget(2));
});

test("one inbound message of a batch of ten with five endpoints costs four more rows", async () => {
  const cost = await inboundMessageCost(pipeline, { endpoints: 5 });
  expectCost(cost, { wcu: 11.2, rcu: 1.05, sqs: 1.5 }, tensTarget(5));
});

test("one inbound message of a batch of ten has a first attempt that costs its row and a tenth of what the batch reads and counts", async () => {
  const workspace = await freshWorkspace(pipeline);
  await everyoneWrites(pipeline, workspace, 10);
  pipeline.advance(SECOND);
  for (let person = 0; person < 10; person++) await pipeline.receive(workspace.nextWebhook(person));
  await pipeline.ingest();
  const cost = perMessage(await pipeline.cost(() => pipeline.deliver()), 10);
  expectCost(cost, { wcu: 1.1, rcu: 0.55, sqs: 0.2 }, costTargets.firstAttempt);
});

test("one inbound message of a batch of ten costs the same on Messenger, whose message ids are shorter and compress less", async () => {
  const cost = await inboundMessageCost(pipeline, { platform: "messenger", endpoints: 1 });
  expectCost(cost, { wcu: 7.3, rcu: 1.05, sqs: 1.5 }, tensTarget(1));
});

describe("one inbound message of a batch of ten of new people", () => {
  const costOf = async (lookUp: () => Promise<unknown>) => {
    const workspace = await freshWorkspace(pipeline);
    await everyoneWrites(pipeline, workspace, 1);
    // The endpoint is older than the messages: else a repeated event costs a read for each endpoint more.
    pipeline.advance(2 * MINUTE);
    const others = Array.from({ length: 10 }, (_, person) => workspace.nextWebhook(person + 1));
    const cost = await pipeline.cost(async () => {
      for (const webhook of others) await pipeline.receive(webhook);
      await pipeline.ingest();
      await lookUp();
      await pipeline.deliver();
    });
    return perMessage(cost, 10);
  };

  test("one inbound message of a batch of ten of new people costs one unit less, because their heads move no index entry, and one for the end of its wait, and requests their profiles", async () => {
    expectCost(await costOf(async () => {}), { wcu: 7.2, rcu: 2.15, sqs: 1.6 });
  });

  test("one inbound message of a batch of ten of new people whose profiles come in time costs the lookup, and two reads of its delayed message", async () => {
    const lookup = await costOf(() => pipeline.fetchProfiles());
    expectCost(lookup, { wcu: 6.2 + 9, rcu: 1.15 + 4 + 1.55, sqs: 1.6 + 0.2 + 1 + 0.2 });
  });
});

test("one inbound message of a batch of ten reads its account's tenant once per batch when it is not cached", async () => {
  const workspace = await freshWorkspace(pipeline);
  await everyoneWrites(pipeline, workspace, 10);
  pipeline.advance(MINUTE);
  const cost = await pipeline.cost(() => everyoneWrites(pipeline, workspace, 10));
  expectCost(perMessage(cost, 10), { wcu: 7.2, rcu: 1.15, sqs: 1.5 });
});

test("one inbound message of a batch of ten of an account that is not connected costs two reads of its route", async () => {
  const ref = { platform: "messenger", externalId: "an unknown account" } as const;
  const cost = await pipeline.cost(() => pipeline.stores.accounts.getRoute(ref));
  expectCost(cost, { wcu: 0, rcu: 1.5, sqs: 0 });
});

test("one inbound message of a batch of ten that the platform repeats costs two refused writes and its raw copy, and is not posted again", async () => {
  const workspace = await freshWorkspace(pipeline);
  // The endpoint is older than the messages: else a repeated event costs a read for each endpoint more.
  pipeline.advance(2 * MINUTE);
  const webhooks = Array.from({ length: 10 }, (_, person) => workspace.nextWebhook(person));
  const takeAll = async () => {
    for (const webhook of webhooks) await pipeline.receive(webhook);
    await pipeline.ingest();
    await pipeline.fetchProfiles();
    await pipeline.deliver();
  };
  await takeAll();
  const posted = pipeline.loopback.events.length;
  const cost = await pipeline.cost(takeAll);
  expect(posted).toBeGreaterThanOrEqual(10);
  expect(pipeline.loopback.events).toHaveLength(posted);
  expectCost(perMessage(cost, 10), { wcu: 2.1, rcu: 2.05, sqs: 1.5 });
});

describe("one webhook of several people", () => {
  const costOf = async (messages: number, people: number) => {
    const workspace = await freshWorkspace(pipeline);
    await everyoneWrites(pipeline, workspace, people);
    pipeline.advance(SECOND);
    const webhooks = Array.from({ length: messages }, (_, index) => {
      // Each message is newer than the one before it, and moves the head.
      pipeline.advance(1);
      return workspace.nextWebhook(index % people);
    });
    await pipeline.receive(joinWebhooks(webhooks, PLATFORM_SECRET));
    return pipeline.cost(() => pipeline.ingest());
  };

  test("one webhook of several people costs for each what a webhook of one person costs, and is received once", async () => {
    const ofOne = await costOf(1, 1);
    const cost = await costOf(3, 3);
    expectCost(ofOne, { wcu: 7, rcu: 0.5, sqs: 3 });
    // The counter is written once.
    expectCost(cost, { wcu: 19, rcu: 1.5, sqs: 3 });
  });

  test("one webhook of several people with 60 updates costs one send more, and the receive and delete of its parts", async () => {
    const cost = await costOf(60, 6);
    // Its raw copy has 3 KB. Six sends of events.
    expectCost(cost, { wcu: 363, rcu: 3, sqs: 6 + 2 + 1 + 2 });
  });
});

const [head, named, refused] = [2, 7, 6];

test("one of ten profile lookups reads the first messages, the head, the account and the account again, and writes the message, the claim of its event and the head", async () => {
  const workspace = await freshWorkspace(pipeline);
  for (let person = 0; person < 10; person++) await pipeline.receive(workspace.nextWebhook(person));
  await pipeline.ingest();
  const cost = await pipeline.cost(() => pipeline.fetchProfiles());
  await pipeline.deliver();
  expectCost(perMessage(cost, 10), { wcu: head + named, rcu: 4, sqs: 1.2 });
});

test("one of ten profile lookups that comes too late for the first event reads the endpoints, and writes the head", async () => {
  const workspace = await freshWorkspace(pipeline);
  for (let person = 0; person < 10; person++) await pipeline.receive(workspace.nextWebhook(person));
  await pipeline.ingest();
  await pipeline.deliver();
  const cost = await pipeline.cost(() => pipeline.fetchProfiles());
  expectCost(perMessage(cost, 10), { wcu: head + refused, rcu: 4.5, sqs: 0.2 });
});

test("one of ten profile lookups of a person who writes ten times is requested once per batch and made once", async () => {
  const workspace = await freshWorkspace(pipeline);
  for (let batch = 0; batch < 2; batch++) {
    for (let message = 0; message < 10; message++) await pipeline.receive(workspace.nextWebhook(0));
    await pipeline.ingest();
  }
  const cost = await pipeline.cost(() => pipeline.fetchProfiles());
  await pipeline.deliver();
  // The first ten messages are named.
  expect(cost).toEqual({ wcu: head + 10 * named, rcu: 5, sqs: 3 });
});

test("one of ten profile lookups is requested again with the first message after a day", async () => {
  const workspace = await freshWorkspace(pipeline);
  await everyoneWrites(pipeline, workspace, 1);
  const looked = () => pipeline.cost(() => pipeline.fetchProfiles());
  // The lookup was before the wait of the first event ended.
  pipeline.advance(24 * HOUR - FIRST_EVENT_WAIT - SECOND);
  await pipeline.receive(workspace.nextWebhook(0));
  await pipeline.ingest();
  expect(await looked()).toEqual({ wcu: 0, rcu: 0, sqs: 0 });
  pipeline.advance(SECOND);
  await pipeline.receive(workspace.nextWebhook(0));
  await pipeline.ingest();
  expect(await looked()).toEqual({ wcu: 2, rcu: 3, sqs: 2 });
  await pipeline.deliver();
});

test("one request reads its key for one unit and counts in its minute for another", async () => {
  const { liveKey } = await freshWorkspace(pipeline);
  const caller = await authenticate(pipeline.apiPorts, `Bearer ${liveKey}`, pipeline.now());
  if (isRefusal(caller)) throw new Error("The key does not open.");
  const check = await pipeline.cost(() => authenticate(pipeline.apiPorts, `Bearer ${liveKey}`, pipeline.now()));
  const rate = await pipeline.cost(() => enforceRateLimit(pipeline.apiPorts, caller, pipeline.now()));
  expectCost(check, { wcu: 0, rcu: 1, sqs: 0 });
  expectCost(rate, { wcu: 1, rcu: 0, sqs: 0 });
  expect(KEY_AND_RATE).toEqual({ wcu: check.wcu + rate.wcu, rcu: check.rcu + rate.rcu, sqs: 0 });
});

test("one request with a malformed key reads nothing", async () => {
  const cost = await pipeline.cost(() =>
    authenticate(pipeline.apiPorts, `Bearer svc_live_${"0".repeat(46)}`, pipeline.now()),
  );
  expectCost(cost, { wcu: 0, rcu: 0, sqs: 0 });
});

test("one request for an inbox page of 50 has an exact cost within its target", async () => {
  expectCost(await inboxPageCost(pipeline), { wcu: 0, rcu: 4.5, sqs: 0 }, costTargets.inboxPage);
});

test("one request for a conversation with 50 messages has an exact cost within its target", async () => {
  expectCost(await detailPageCost(pipeline), { wcu: 0, rcu: 3.5, sqs: 0 }, costTargets.detailPage);
});

test.each<[string, (workspace: Workspace) => string]>([
  ["an inbox page", () => "/v1/conversations"],
  ["a page of messages", () => "/v1/messages"],
  [
    "a conversation",
    ({ conversationIdFor: conversationOf }) => `/v1/conversations/${encodeURIComponent(conversationOf(0))}`,
  ],
  ["a page of the audit trail", () => "/v1/audit"],
])("one request for %s is one call of the table, besides the key and the minute", async (_what, path) => {
  const workspace = await freshWorkspace(pipeline);
  await everyoneWrites(pipeline, workspace, 3);
  const call = () => pipeline.call(workspace.liveKey, "GET", path(workspace));
  expect(await pipeline.tableCalls(call)).toBe(3);
});

test("one request that creates a webhook endpoint is one transaction of three items, and counts a DNS lookup", async () => {
  const { liveKey } = await freshWorkspace(pipeline);
  const url = `${pipeline.loopback.origin}/hooks/new`;
  const cost = await pipeline.cost(() => pipeline.call(liveKey, "POST", "/v1/webhooks", { url }));
  expectCost(cost, { wcu: 6 + KEY_AND_RATE.wcu, rcu: KEY_AND_RATE.rcu, sqs: 0 });
  const overrides = { url: url.replace("127.0.0.1", "localhost") };
  const more = await pipeline.cost(() => pipeline.call(liveKey, "POST", "/v1/webhooks", overrides));
  expectCost(more, { wcu: 6 + 1 + KEY_AND_RATE.wcu, rcu: KEY_AND_RATE.rcu, sqs: 0 });
});

test("one reply with a live key has an exact cost within its target", async () => {
  expectCost(await replyCost(pipeline), { wcu: 16, rcu: 3, sqs: 1 }, costTargets.reply);
});

test("one reply with a test key does not write the conversation's head", async () => {
  expectCost(await replyCost(pipeline, "test"), { wcu: 13, rcu: 3, sqs: 1 }, costTargets.reply);
});

test("one reply is delivered for one row and counted with it; its echo costs the reads of its marker and its due item, and its raw copy", async () => {
  const workspace = await freshWorkspace(pipeline);
  await everyoneWrites(pipeline, workspace, 1);
  pipeline.advance(SECOND);
  const messageId = await sendReply(pipeline, workspace, 0);
  const delivery = await pipeline.cost(() => pipeline.deliver());
  expectCost(delivery, { wcu: 2, rcu: 1, sqs: 2 });
  pipeline.advance(SECOND);
  const posted = pipeline.loopback.events.length;
  await pipeline.receive(workspace.nextWebhook(0, { messageId }));
  const echo = await pipeline.cost(() => pipeline.ingest());
  await pipeline.deliver();
  expectCost(echo, { wcu: 1, rcu: 2, sqs: 2 });
  expect(pipeline.loopback.events).toHaveLength(posted);
});

describe("one of three deliveries that fail together, too few to open the circuit", () => {
  const FAILING = 3;
  /** The endpoint's own write, once per batch: a failure count or a recovery. */
  const OF_ENDPOINT = 1;
  const each = (cost: Cost, more = 0): Cost => perMessage({ ...cost, wcu: cost.wcu - OF_ENDPOINT - more }, FAILING);
  const [receiveAndDelete, send] = [2 / FAILING, 1];
  const requests = (count: number) => Math.round(count * 1_000) / 1_000;

  test("a failing delivery costs what its first attempt, its retries, a wait longer than the queue's delay and its success cost", async () => {
    const workspace = await freshWorkspace(pipeline);
    await everyoneWrites(pipeline, workspace, 10);
    await introduce(pipeline, workspace, 10 + FAILING);
    // The first sweep starts a day back. Here it must find only the retries.
    await pipeline.sweep();
    for (let person = 0; person < FAILING; person++) await pipeline.receive(workspace.nextWebhook(person + 10));
    await pipeline.ingest();

    pipeline.loopback.respondWith(500);
    const first = await pipeline.cost(() => pipeline.deliver());
    const ofBatch = 0.5;
    const counted = 1;
    expectCost(each({ ...first, rcu: first.rcu - ofBatch }, counted), {
      wcu: 2,
      rcu: 0.5,
      sqs: requests(receiveAndDelete + send),
    });

    pipeline.advance(5 * SECOND);
    const second = await pipeline.cost(() => pipeline.retry());
    expectCost(
      each(second),
      { wcu: 2, rcu: 1.5, sqs: requests(receiveAndDelete + send) },
      retryTarget(FAILING, "again"),
    );

    // The wait after the third attempt is half an hour, stored in the table: one more row, one send less.
    pipeline.advance(5 * MINUTE);
    const third = await pipeline.cost(() => pipeline.retry());
    const ofLater = retryTarget(FAILING, "later");
    expectCost(each(third), { wcu: 3, rcu: 1.5, sqs: requests(receiveAndDelete) }, ofLater);

    pipeline.advance(28 * MINUTE);
    pipeline.loopback.respondWith(200);
    const sweep = await pipeline.cost(() => pipeline.sweep());
    expectCost(sweep, { wcu: 1, rcu: 4.5, sqs: 1 });

    pipeline.advance(2 * MINUTE);
    const fourth = await pipeline.cost(() => pipeline.retry());
    const ofDelivered = retryTarget(FAILING, "delivered");
    expectCost(each(fourth, counted), { wcu: 3, rcu: 1.5, sqs: requests(receiveAndDelete) }, ofDelivered);
    const { rows } = await pipeline.stores.deliveries.list(workspace.tenant, {
      endpointId: workspace.endpointIds[0] ?? "",
      before: null,
      limit: 50,
      now: pipeline.now(),
    });
    expect(rows.map(({ status }) => status)).toEqual(Array(10 + FAILING).fill("delivered"));
  });
});

test("one idle sweep reads the checkpoint and the hour's eight shards", async () => {
  await pipeline.sweep();
  pipeline.advance(HOUR - (pipeline.now() % HOUR) + 10 * MINUTE);
  await pipeline.sweep();
  pipeline.advance(MINUTE);
  expectCost(await pipeline.cost(() => pipeline.sweep()), { wcu: 1, rcu: 4.5, sqs: 0 });
});

test("one idle sweep reads two hours across the turn of an hour", async () => {
  pipeline.advance(HOUR - (pipeline.now() % HOUR) - 3 * MINUTE);
  await pipeline.sweep();
  pipeline.advance(2 * MINUTE);
  expectCost(await pipeline.cost(() => pipeline.sweep()), { wcu: 1, rcu: 8.5, sqs: 0 });
});

test("one idle sweep saves its checkpoint after each hundred due items, and sends them in batches of ten", async () => {
  pipeline.advance(HOUR - (pipeline.now() % HOUR) + 10 * MINUTE);
  await pipeline.sweep();
  const { tenant } = await freshWorkspace(pipeline);
  for (let i = 0; i < 250; i++) {
    const dueAt = pipeline.now() + 5 * MINUTE;
    const eventUlid = deriveUlid(dueAt, `event ${i}`);
    await pipeline.stores.due.put({ tenant, endpointId: deriveUlid(dueAt, "one"), eventUlid, attempt: 4, dueAt });
  }
  pipeline.advance(10 * MINUTE);
  expectCost(await pipeline.cost(() => pipeline.sweep()), { wcu: 3, rcu: 5, sqs: 25 });
});

test("one idle sweep catches up after a day's outage by reading 25 hours", async () => {
  pipeline.advance(24 * HOUR);
  expectCost(await pipeline.cost(() => pipeline.sweep()), { wcu: 1, rcu: 100.5, sqs: 0 });
});
