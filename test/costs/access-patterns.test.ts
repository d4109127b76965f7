import { describe, expect, test } from "vitest";
import { type QueueName, queues } from "#base/config/names.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { PICTURE_URL_CHARS_MAX } from "#base/kernel/limits.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { createKey as createKeyOf, createOperatorKey } from "#features/access/flows/keys.ts";
import { encodeAccountTask } from "#features/accounts/queue.ts";
import { answerTimes } from "#features/stats/rules.ts";
import type { Counts } from "#features/stats/store.ts";
import { nameOwner } from "#features/tenants/flows/owners.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import {
  freshWorkspace,
  openFullInbox,
  openLongConversation,
  pageCost,
  sendReply,
  withoutKeyAndRate,
} from "../bench/scenarios.ts";
import { createKey } from "../features/access/flows/support/api-keys.ts";
import { collectPages } from "../support/collect-pages.ts";
import { openedOnce } from "../support/opened.ts";
import { sampleText } from "../support/pipeline/traffic.ts";
import { everyoneWrites, type Workspace } from "../support/pipeline/workspace.ts";
import { sampleMessage } from "../support/stores/samples.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// The exact cost of the remaining access patterns of docs/design/table-costs.md.

const pipeline = openedOnce(startMeteredPipeline);
const inboxWorkspace = openedOnce(() => openFullInbox(pipeline));
const longConversation = openedOnce(() => openLongConversation(pipeline));

const readCost = (rcu: number) => ({ wcu: 0, rcu, sqs: 0 });
const writeCost = (wcu: number, rcu = 0) => ({ wcu, rcu, sqs: 0 });

describe("a page of 50", () => {
  const get = (path: string, list: string, rows = 50) => pageCost(pipeline, longConversation.liveKey, path, list, rows);
  const conversation = () => encodeURIComponent(longConversation.conversationIdFor(0));
  const firstCursor = async (path: string) =>
    (await pipeline.call<{ next_cursor: string }>(longConversation.liveKey, "GET", path)).next_cursor;

  test("a page of 50 of all messages is one query of the feed", async () => {
    expect(await get("/v1/messages", "messages")).toEqual(readCost(3.5));
  });

  test("a page of 50 with test messages is a query of each scope's feed", async () => {
    expect(await get("/v1/messages?include_test=true", "messages")).toEqual(readCost(4));
  });

  test("a page of 50 of one direction reads up to 200 rows, here all 60", async () => {
    expect(await get("/v1/messages?direction=inbound", "messages")).toEqual(readCost(4));
  });

  test("a page of 50 of one conversation's messages is its head and a query", async () => {
    expect(await get(`/v1/messages?conversation_id=${conversation()}`, "messages")).toEqual(readCost(4.5));
  });

  test("a page of 50 that continues a conversation costs its head and the remaining rows", async () => {
    const path = `/v1/conversations/${conversation()}`;
    const cursor = await firstCursor(path);
    expect(await get(`${path}?cursor=${cursor}`, "messages", 10)).toEqual(readCost(2));
  });

  test("a page of 50 of an endpoint's deliveries is one query", async () => {
    const path = `/v1/webhooks/${inboxWorkspace.endpointIds[0]}/deliveries`;
    expect(await pageCost(pipeline, inboxWorkspace.liveKey, path, "deliveries")).toEqual(readCost(1.5));
  });
});

test("a conversation that is marked as done is read with the endpoints, written with its place in the inbox, and pushed", async () => {
  const { liveKey, conversationIdFor } = inboxWorkspace;
  const path = `/v1/conversations/${encodeURIComponent(conversationIdFor(0))}`;
  const mark = () => pipeline.cost(() => pipeline.call(liveKey, "PATCH", path, { done: true }));
  expect(withoutKeyAndRate(await mark())).toEqual({ wcu: 2, rcu: 1.5, sqs: 1 });
  expect(withoutKeyAndRate(await mark())).toEqual({ wcu: 0, rcu: 1.5, sqs: 0 });
});

test("a page of 50 audit rows is one query", async () => {
  const { tenant, liveKey } = await freshWorkspace(pipeline, { endpoints: 0 });
  const actor = "operator:01JABCDEFGHJKMNPQRSTVWXYZ0";
  const at = pipeline.now();
  for (let key = 0; key < 51; key++) {
    const entry = { action: "key.create", resource: `key:${newUlid(at)}`, actor, ip: null } as const;
    await pipeline.stores.audit.add(tenant, { ...entry, detail: { scope: "live" }, at });
  }
  expect(await pageCost(pipeline, liveKey, "/v1/audit", "audit")).toEqual(readCost(1));
});

test("a filtered page of the audit log examines 200 rows, and goes on after them", async () => {
  const { tenant, liveKey } = await freshWorkspace(pipeline, { endpoints: 0 });
  const at = pipeline.now();
  const actor = "console:usr_01JABCDEFGHJKMNPQRSTVWXYZ0";
  for (let row = 0; row < 220; row++) {
    const entry = { action: "webhook.replay", resource: `webhook:${newUlid(at)}`, actor, ip: "203.0.113.113" } as const;
    await pipeline.stores.audit.add(tenant, { ...entry, detail: { delivery: "x".repeat(26) }, at });
  }
  const path = "/v1/audit?action=key.create";
  expect(withoutKeyAndRate(await pipeline.cost(() => pipeline.call(liveKey, "GET", path)))).toEqual(readCost(5));
});

/** Counts of which each is this number, but for those of the endpoints. */
function allCounts(count: number, endpoints: Counts["endpoints"]): Counts {
  const answers = Object.fromEntries(answerTimes.map((time) => [time, count])) as Counts["answers"];
  return { received: count, sent: count, answers, endpoints };
}

/** A workspace where every endpoint had every state in each of the last 25 hours. */
async function busyDay(endpoints: number): Promise<Workspace> {
  const workspace = await freshWorkspace(pipeline, { endpoints });
  const states = { delivered: 12_345, failed: 123, dlq: 12 };
  for (let hour = 0; hour < 25; hour++) {
    const counts = allCounts(12_345, new Map(workspace.endpointIds.map((id) => [id, states])));
    await pipeline.stores.counters.add(workspace.tenant, counts, pipeline.now() - hour * HOUR);
  }
  return workspace;
}

test.each([
  [1, 1],
  [5, 1.5],
  [20, 3],
])("statistics and audit of %i endpoints are read in two queries", async (endpoints, rcu) => {
  const { liveKey } = await busyDay(endpoints);
  expect(await pageCost(pipeline, liveKey, "/v1/stats", "endpoints", endpoints)).toEqual(readCost(rcu));
});

test("statistics and audit of a filtered inbox cost the 200 heads that are examined", async () => {
  const workspace = await freshWorkspace(pipeline, { endpoints: 0 });
  const account = { platform: "instagram", externalId: "17841400000000001" } as const;
  const heads = Array.from({ length: 210 }, (_, person) => {
    const participant = { id: `9${String(person).padStart(16, "0")}`, handle: null, username: null, name: null };
    const conversation = {
      conversationId: `CONV#${workspace.tenant}#instagram#${account.externalId}#${participant.id}`,
    };
    const message = sampleMessage(workspace.tenant, {
      id: "m",
      account,
      participant,
      ...conversation,
      text: sampleText(person),
    });
    const at = { ...message, sentAt: pipeline.now() };
    return pipeline.stores.conversations.advanceHead(workspace.tenant, at, {
      accountHandle: "a.shoe.shop",
      shards: 1,
    });
  });
  await Promise.all(heads);
  const filtered = await pageCost(
    pipeline,
    workspace.liveKey,
    "/v1/conversations?platform=messenger",
    "conversations",
    0,
  );
  expect(filtered).toEqual(readCost(8.5));
  const closing = "/v1/conversations?needs_reply=true&order=closing";
  expect(await pageCost(pipeline, workspace.liveKey, closing, "conversations")).toEqual(readCost(9));
});

test("a batch's counts are one unit, however many endpoints are counted", async () => {
  const { tenant, endpointIds } = await busyDay(20);
  const states = { delivered: 1, failed: 1, dlq: 1 };
  const counts = allCounts(1, new Map(endpointIds.map((id) => [id, states])));
  expect(await pipeline.cost(() => pipeline.stores.counters.add(tenant, counts, pipeline.now()))).toEqual(writeCost(1));
});

describe("one item read", () => {
  const get = async (key: string, path: string) =>
    withoutKeyAndRate(await pipeline.cost(() => pipeline.call(key, "GET", path)));

  test("a message by the platform's id is found in the index and then read", async () => {
    const { messages } = await pipeline.call<{ messages: { id: string }[] }>(
      longConversation.liveKey,
      "GET",
      "/v1/messages",
    );
    expect(await get(longConversation.liveKey, `/v1/messages/${messages[0]?.id}`)).toEqual(readCost(1));
  });

  test("the lists of accounts and endpoints, and one endpoint, cost at most one and a half read units each", async () => {
    expect(await get(inboxWorkspace.liveKey, "/v1/accounts")).toEqual(readCost(1));
    expect(await get(inboxWorkspace.liveKey, "/v1/webhooks")).toEqual(readCost(1.5));
    expect(await get(inboxWorkspace.liveKey, `/v1/webhooks/${inboxWorkspace.endpointIds[0]}`)).toEqual(readCost(1.5));
  });

  test("another tenant's conversation is refused without a read", async () => {
    const path = `/v1/conversations/${encodeURIComponent(longConversation.conversationIdFor(0))}`;
    const refused = async () =>
      expect(pipeline.call(inboxWorkspace.liveKey, "GET", path)).rejects.toThrow("was refused");
    const cost = await pipeline.cost(refused);
    expect(withoutKeyAndRate(cost)).toEqual(readCost(0));
  });
});

describe("setup", () => {
  const actor = "cli";
  const slug = (text: string): TenantId => parseTenant(text) ?? throwError(`${text} is not a slug.`);

  test("a workspace, the invite of its owner and their audit rows cost ten write units", async () => {
    const settings = { name: "A workspace", ownerEmail: "owner@example.com", author: { actor } };
    const create = () => createTenant(pipeline.tenantPorts, slug("new-tenant"), settings, pipeline.now());
    expect(await pipeline.cost(create)).toEqual(writeCost(10));
  });

  test("another owner of a tenant, in the place of one who was named before, costs fourteen write units", async () => {
    const tenant = slug("new-tenant");
    const name = (email: string) => () =>
      nameOwner(pipeline.tenantPorts, { tenant, email, author: { actor }, now: pipeline.now() });
    expect(await pipeline.cost(name("second@example.com"))).toEqual(writeCost(8 + 6, 3));
    expect(await pipeline.cost(name("second@example.com"))).toEqual(readCost(3));
  });

  test("a key, its row in the list and its audit row cost eight write units", async () => {
    const settings = { scope: "live", label: "backend", author: { actor } } as const;
    // The first key of the test creates its tenant.
    const create = () => createKey(pipeline.tenantPorts, slug("new-tenant"), settings, pipeline.now());
    await create();
    const createSecond = () => createKeyOf(pipeline.tenantPorts, slug("new-tenant"), settings, pipeline.now());
    expect(await pipeline.cost(createSecond)).toEqual(writeCost(8));
  });

  test("a key is listed, revoked and found revoked", async () => {
    const { tenant, liveKey } = await freshWorkspace(pipeline, { endpoints: 0 });
    const cost = async (method: "GET" | "DELETE", path: string) =>
      withoutKeyAndRate(await pipeline.cost(() => pipeline.call(liveKey, method, path)));
    const { id } = await createKey(
      pipeline.tenantPorts,
      tenant,
      { scope: "live", label: "", author: { actor } },
      pipeline.now(),
    );
    expect(await cost("GET", "/v1/keys")).toEqual(readCost(1));
    // The number of the tenant's sockets is read before and after.
    expect(await cost("DELETE", `/v1/keys/${id}`)).toEqual(writeCost(8, 3));
    expect(await cost("DELETE", `/v1/keys/${id}`)).toEqual(readCost(2));
    const notFound = async (keyId: string) => {
      const request = () =>
        expect(pipeline.call(liveKey, "DELETE", `/v1/keys/${keyId}`)).rejects.toThrow("key_not_found");
      return withoutKeyAndRate(await pipeline.cost(request));
    };
    expect(await notFound(newUlid(0))).toEqual(readCost(1));
    expect(await notFound("unknown")).toEqual(readCost(0));
    for (let n = 0; n < 47; n++)
      await createKey(
        pipeline.tenantPorts,
        tenant,
        { scope: "live", label: "backend", author: { actor } },
        pipeline.now(),
      );
    expect(await cost("GET", "/v1/keys")).toEqual(readCost(3));
  });

  test("the use of a key is recorded for two units, once in an hour", async () => {
    const { liveKey } = await freshWorkspace(pipeline, { endpoints: 0 });
    const use = async () =>
      withoutKeyAndRate(await pipeline.cost(() => pipeline.call(liveKey, "GET", "/v1/event-types")));
    pipeline.advance(HOUR - 1);
    expect(await use()).toEqual(writeCost(0));
    pipeline.advance(1);
    expect(await use()).toEqual(writeCost(2));
    expect(await use()).toEqual(writeCost(0));
  });

  test("an operator's key costs twelve write units, with an audit row for each of its two tenants", async () => {
    const settings = { scope: "live", label: "agency", author: { actor } } as const;
    const tenants = [slug("new-tenant"), inboxWorkspace.tenant];
    const create = () => createOperatorKey(pipeline.tenantPorts, tenants, settings, pipeline.now());
    expect(await pipeline.cost(create)).toEqual(writeCost(12));
  });

  test("a tenant is suspended and resumed with two units for each of its keys, here three", async () => {
    const { tenant, liveKey } = await freshWorkspace(pipeline, { endpoints: 0 });
    await createOperatorKey(
      pipeline.tenantPorts,
      [tenant],
      { scope: "live", label: "agency", author: { actor } },
      pipeline.now(),
    );
    const change = (status: "active" | "suspended") => () =>
      setTenantStatus(pipeline.tenantPorts, tenant, { status, author: { actor } }, pipeline.now());
    const active = await pipeline.cost(() => pipeline.call(liveKey, "GET", "/v1/accounts"));
    expect(active).toEqual({ wcu: 1, rcu: 2, sqs: 0 });
    // The tenant and its audit row 4, the check of the tenant 2, the keys 6; two lists of keys and one of members. A
    // suspension reads the number of the tenant's sockets before and after.
    expect(await pipeline.cost(change("suspended"))).toEqual(writeCost(12, 5));
    const refused = () => expect(pipeline.call(liveKey, "GET", "/v1/accounts")).rejects.toThrow("is suspended");
    expect(await pipeline.cost(refused)).toEqual({ wcu: 1, rcu: 1, sqs: 0 });
    expect(await pipeline.cost(change("active"))).toEqual(writeCost(12, 3));
    expect(await pipeline.cost(() => pipeline.call(liveKey, "GET", "/v1/accounts"))).toEqual(active);
  });
});

describe("the workers' single steps", () => {
  const deadLetter = (body: string, queue: QueueName = "Events", sentAt = 0) => ({
    queue,
    messageId: "9a3f4f0e-6a54-4f0f-9c39-8f3f2f1a0b11",
    sentAt,
    body,
    group: "acme",
    receives: 5,
  });

  test("a due attempt is stored for one unit", async () => {
    const due = { tenant: inboxWorkspace.tenant, endpointId: newUlid(0), eventUlid: newUlid(0), attempt: 4 };
    const put = () => pipeline.stores.due.put({ ...due, dueAt: pipeline.now() + HOUR });
    expect(await pipeline.cost(put)).toEqual(writeCost(1));
  });

  test("a dead letter's row costs a unit per kilobyte", async () => {
    expect(await pipeline.cost(() => pipeline.stores.quarantine.save(deadLetter("x".repeat(300)), 0))).toEqual(
      writeCost(1),
    );
    expect(
      await pipeline.cost(() => pipeline.stores.quarantine.save(deadLetter("x".repeat(2_900), "Events", 1), 0)),
    ).toEqual(writeCost(3));
  });

  test("an erasure that continues after a dead letter costs one due item", async () => {
    const due = { tenant: inboxWorkspace.tenant, erasureId: "a".repeat(64), dueAt: pipeline.now() + HOUR };
    expect(await pipeline.cost(() => pipeline.stores.due.putErasure(due))).toEqual(writeCost(1));
  });

  test("a disconnection of an account that continues after a dead letter costs one due item", async () => {
    const disconnection = { reason: "platform_deauthorized", actor: "system", userId: null, ip: null, at: 0 } as const;
    const { tenant } = inboxWorkspace;
    const account = { platform: "instagram", externalId: "17841400000000001" } as const;
    const body = encodeAccountTask({ op: "disconnect", tenant, account, connectionId: newUlid(0), ...disconnection });
    const due = { tenant, body, dueAt: pipeline.now() + HOUR };
    expect(await pipeline.cost(() => pipeline.stores.due.putAccountTask(due))).toEqual(writeCost(1));
  });

  test("listing dead letters costs their size, and one is read from all queues in one request", async () => {
    const { quarantine } = pipeline.stores;
    const listed = () => collectPages(quarantine.list("Profiles", "newest", pipeline.now()));
    for (let i = 0; i < 20; i++) {
      await quarantine.save(deadLetter("x".repeat(200), "Profiles", i), pipeline.now());
    }
    expect(await pipeline.cost(listed)).toEqual(readCost(1));
    const [quarantined] = await collectPages(quarantine.list("Profiles", "newest", pipeline.now()));
    if (!quarantined) throw new Error("Nothing was set aside.");
    // Half a unit for each queue.
    const cost = await pipeline.cost(() => quarantine.get(quarantined.id, pipeline.now()));
    expect(cost).toEqual(readCost(queues.length / 2));
    const redrive = async () => {
      const claim = await quarantine.claimDeadLetter(quarantined, pipeline.now());
      await quarantine.settleDeadLetter(quarantined, claim ?? "", "sent", pipeline.now());
    };
    expect(await pipeline.cost(redrive)).toEqual(writeCost(2));
  });

  test("a purge reads the expired dead letters of webhooks and deletes them by their size", async () => {
    const { quarantine } = pipeline.stores;
    const purge = () => quarantine.removeBefore("Inbound", pipeline.now());
    expect(await pipeline.cost(purge)).toEqual(readCost(0.5));
    await quarantine.save(deadLetter("x".repeat(2_900), "Inbound", 1), pipeline.now());
    expect(await pipeline.cost(purge)).toMatchObject({ wcu: 3, rcu: 0.5 });
  });

  test("abandoning a delivery writes its row and its index entry", async () => {
    const workspace = await freshWorkspace(pipeline);
    await everyoneWrites(pipeline, workspace, 1);
    const [endpointId = ""] = workspace.endpointIds;
    pipeline.loopback.respondWith(500);
    pipeline.advance(SECOND);
    await pipeline.receive(workspace.nextWebhook(0));
    await pipeline.ingest();
    await pipeline.deliver();
    pipeline.loopback.respondWith(200);
    const { tenant } = workspace;
    const query = { endpointId, before: null, limit: 1, now: pipeline.now() };
    const [failing] = (await pipeline.stores.deliveries.list(tenant, query)).rows;
    const eventUlid = failing?.eventUlid ?? "";
    const abandon = () =>
      pipeline.stores.deliveries.abandon(tenant, { endpointId, eventUlid, attempt: 1 }, pipeline.now());
    expect(await pipeline.cost(abandon)).toEqual(writeCost(2));
    expect((await pipeline.stores.deliveries.get(tenant, endpointId, eventUlid))?.status).toBe("dlq");
  });

  test("a message older than the shown one is refused by the head, and advances only the instant of its own side", async () => {
    const workspace = await freshWorkspace(pipeline, { endpoints: 0 });
    await everyoneWrites(pipeline, workspace, 1);
    pipeline.advance(SECOND);
    const late = workspace.nextWebhook(0);
    pipeline.advance(MINUTE);
    await sendReply(pipeline, workspace, 0);
    await pipeline.receive(late);
    const { wcu } = await pipeline.cost(() => pipeline.ingest());
    const message = 3;
    const refusedHead = 1;
    const ownInstant = 2;
    const counted = 1;
    expect(wcu).toBe(message + refusedHead + ownInstant + counted);
  });

  test("a picture with the longest URL adds no cost to a message", async () => {
    const workspace = await freshWorkspace(pipeline, { endpoints: 0 });
    await everyoneWrites(pipeline, workspace, 1);
    const before = await pipeline.cost(() => everyoneWrites(pipeline, workspace, 1));
    const extraWith = async (chars: number) => {
      const picture = { url: "https://cdn.example/".padEnd(chars, "f"), expiresAt: pipeline.now() + DAY };
      const profile = {
        state: "complete",
        handle: "marianne.lindqvist",
        username: "marianne.lindqvist",
        name: "Marianne Lindqvist",
        picture,
      } as const;
      pipeline.advance(SECOND);
      await pipeline.stores.profiles.save(workspace.conversationIdFor(0), profile, pipeline.now());
      return (await pipeline.cost(() => everyoneWrites(pipeline, workspace, 1))).wcu - before.wcu;
    };
    expect(await extraWith(300)).toBe(0);
    expect(await extraWith(PICTURE_URL_CHARS_MAX)).toBe(0);
  });

  test("nothing of an expired conversation is found, at a low cost", async () => {
    const workspace = await freshWorkspace(pipeline, { endpoints: 0 });
    await everyoneWrites(pipeline, workspace, 10);
    pipeline.advance(7 * DAY);
    await pipeline.call(workspace.liveKey, "GET", "/v1/event-types");
    const empty = await pageCost(pipeline, workspace.liveKey, "/v1/conversations", "conversations", 0);
    expect(empty).toEqual(readCost(0.5));
  });
});

function throwError(message: string): never {
  throw new Error(message);
}
