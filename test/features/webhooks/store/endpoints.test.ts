import { type DynamoDBClient, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { type EventType, eventTypes } from "#base/events/events.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { openTable } from "#base/table/client.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import { CLOSED } from "#features/delivery/rules/breaker.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { queryItems } from "../../../support/stores/items.ts";
import { NOW, newTenant, sampleEndpoint } from "../../../support/stores/samples.ts";
import { auditOf } from "../../access/store/support/team-samples.ts";

let tenant: TenantId;
let id: string;
const table = openedOnce(startTestTable);
const handle = openedOnce(() => openTable(table.tableName, table.client));
const endpoints = openedOnce(() => endpointStore(handle));
beforeEach(async () => {
  tenant = newTenant();
  id = newUlid(NOW);
  await endpoints.create(tenant, endpoint(), { audit: auditEntry("webhook.create", NOW), actor: null });
});

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const endpoint = () => sampleEndpoint({ id });
const auditEntry = (action: AuditEntry["action"], at = NOW + 1) => auditOf(action, at);
const author = (action: AuditEntry["action"], at?: number) => ({ audit: auditEntry(action, at), actor: null });
const readEndpoint = () => endpoints.get(tenant, id);
const rotate = (name: string, at = NOW + 1) =>
  endpoints.rotate(
    tenant,
    id,
    { prefix: `whs_${name}`, sealed: bytes(name), overlapUntil: at + 100 },
    author("webhook.rotate", at),
  );

const auditActions = async () => (await queryItems(handle, `A#${tenant}`)).map(({ ac }) => ac);

it("a change of an endpoint sets the given fields and leaves the rest", async () => {
  expect(await endpoints.update(tenant, id, { status: "paused" }, author("webhook.update"))).toBe("changed");
  const op = expect.any(String);
  const paused = { status: "paused", pausedBy: "cli", breakerOp: op, updatedAt: NOW + 1 };
  expect(await readEndpoint()).toEqual({ ...endpoint(), ...paused });
  await endpoints.update(
    tenant,
    id,
    { url: "https://two.example/", events: ["message.sent"] },
    author("webhook.update", NOW + 2),
  );
  expect(await readEndpoint()).toMatchObject({
    url: "https://two.example/",
    events: ["message.sent"],
    status: "paused",
  });
  expect(await auditActions()).toEqual(["webhook.create", "webhook.update", "webhook.update"]);
});

it("a change of a deleted or missing endpoint changes nothing and writes no audit row", async () => {
  expect(await endpoints.remove(tenant, id, author("webhook.delete"))).toBe("changed");
  const tombstone = await readEndpoint();
  expect(tombstone).toMatchObject({ id, status: "deleted", sealedSecret: null, secondary: null, secretPrefix: "" });
  expect(await endpoints.update(tenant, id, { status: "active" }, author("webhook.update"))).toBe("refused");
  expect(await rotate("next")).toBe("refused");
  expect(await endpoints.remove(tenant, id, author("webhook.delete"))).toBe("refused");
  expect(
    await endpoints.pause(tenant, id, { url: endpoint().url, pausedEvent: "e" }, auditEntry("webhook.auto_pause")),
  ).toBe(false);
  expect(await endpoints.update(newTenant(), id, { status: "paused" }, author("webhook.update"))).toBe("refused");
  expect(await readEndpoint()).toEqual(tombstone);
  expect(await auditActions()).toEqual(["webhook.create", "webhook.delete"]);
});

it("each rotation keeps only the previous secret", async () => {
  await rotate("second");
  expect(await readEndpoint()).toMatchObject({
    secretPrefix: "whs_second",
    sealedSecret: bytes("second"),
    secondary: { sealedSecret: bytes("first"), expiresAt: NOW + 101 },
  });
  await rotate("third", NOW + 50);
  expect(await readEndpoint()).toMatchObject({
    sealedSecret: bytes("third"),
    secondary: { sealedSecret: bytes("second"), expiresAt: NOW + 150 },
  });
});

it("the service pauses an endpoint once, and only at the same URL", async () => {
  const pause = (url: string, pausedEvent: string) =>
    endpoints.pause(tenant, id, { url, pausedEvent }, auditEntry("webhook.auto_pause"));
  expect(await pause("https://elsewhere.example/", "A")).toBe(false);
  expect(await pause(endpoint().url, "B")).toBe(true);
  expect(await pause(endpoint().url, "C")).toBe(false);
  expect(await readEndpoint()).toMatchObject({ status: "paused", pausedEvent: "B" });
  expect(await auditActions()).toEqual(["webhook.create", "webhook.auto_pause"]);
});

it("a paused endpoint names who paused it until it is active again, also where the service paused it before", async () => {
  const set = (status: "paused" | "active", actor: string) => {
    const { audit } = author("webhook.update");
    return endpoints.update(tenant, id, { status }, { audit: { ...audit, actor }, actor: null });
  };
  const pausedBy = async () => (await readEndpoint())?.pausedBy;
  expect(await pausedBy()).toBeNull();
  await set("paused", "key:one");
  expect(await pausedBy()).toBe("key:one");
  await endpoints.update(tenant, id, { events: ["message.sent"] }, author("webhook.update"));
  expect(await pausedBy()).toBe("key:one");
  await set("active", "key:two");
  expect(await pausedBy()).toBeNull();
  const pause = { url: endpoint().url, pausedEvent: "A" };
  await endpoints.pause(tenant, id, pause, { ...auditEntry("webhook.auto_pause"), actor: "system" });
  expect(await pausedBy()).toBe("system");
  await set("active", "key:two");
  await set("paused", "console:usr_1");
  expect(await pausedBy()).toBe("console:usr_1");
});

it("an open circuit that an earlier release stored was opened, or probed last, one wait before its next probe", async () => {
  const open = { ...CLOSED, failures: 10, openedAt: NOW, openUntil: NOW + 120_000, wait: 120_000 };
  await endpoints.saveBreaker(tenant, endpoint(), open, NOW);
  expect((await readEndpoint())?.breaker.openedAt).toBe(NOW);
  const Key = { PK: `T#${tenant}`, SK: `WH#${id}` };
  await handle.client.send(new UpdateCommand({ TableName: handle.name, Key, UpdateExpression: "REMOVE oa" }));
  expect((await readEndpoint())?.breaker.openedAt).toBe(NOW);
});

it("the service pauses a failing endpoint only if no attempt has succeeded since", async () => {
  const saveBreaker = async (failingSince: number | null) =>
    endpoints.saveBreaker(tenant, (await readEndpoint()) ?? endpoint(), { ...CLOSED, failingSince }, NOW);
  const pauseIfFailingSince = (failingSince: number) => {
    const condition = { url: endpoint().url, pausedEvent: "A", failingSince };
    return endpoints.pause(tenant, id, condition, auditEntry("webhook.auto_pause"));
  };
  await saveBreaker(NOW - 2);
  await saveBreaker(null);
  expect(await pauseIfFailingSince(NOW - 2)).toBe(false);
  await saveBreaker(NOW - 1);
  expect(await pauseIfFailingSince(NOW - 2)).toBe(false);
  expect(await pauseIfFailingSince(NOW - 1)).toBe(true);
});

it("a breaker is saved only over the one from which it was computed, and never of a deleted endpoint", async () => {
  const stale = endpoint();
  expect(await endpoints.saveBreaker(tenant, stale, { ...CLOSED, failures: 3 }, NOW)).toEqual({ applied: true });
  const refused = await endpoints.saveBreaker(tenant, stale, { ...CLOSED, failures: 1 }, NOW);
  expect(refused).toMatchObject({ applied: false, endpoint: { breaker: { failures: 3 } } });
  const current = await readEndpoint();
  await endpoints.remove(tenant, id, author("webhook.delete"));
  const late = await endpoints.saveBreaker(tenant, current ?? stale, { ...CLOSED, failures: 4 }, NOW);
  expect(late).toMatchObject({ applied: false, endpoint: { status: "deleted", breaker: { failures: 3 } } });
});

it.each<Fault>(["lost", "fail", "throttle", "twice"])(
  "a change that meets a fault (%s) at any request is applied once and reported as applied",
  async (fault) => {
    let times = 0;
    const end = injectFaults(table.client, () => (times++ % 2 === 0 ? fault : "pass"));
    expect(await rotate("second")).toBe("changed");
    expect(await endpoints.update(tenant, id, { status: "paused" }, author("webhook.update", NOW + 2))).toBe("changed");
    expect(await endpoints.remove(tenant, id, author("webhook.delete", NOW + 3))).toBe("changed");
    end();
    expect(await readEndpoint()).toMatchObject({ status: "deleted" });
    expect(await auditActions()).toEqual(["webhook.create", "webhook.rotate", "webhook.update", "webhook.delete"]);
  },
);

it("a rotation whose response was lost is not repeated: the first secret still signs", async () => {
  let times = 0;
  const end = injectFaults(table.client, () => (times++ === 0 ? "lost" : "pass"));
  expect(await rotate("second")).toBe("changed");
  end();
  expect(times).toBe(2);
  expect(await readEndpoint()).toMatchObject({ secondary: { sealedSecret: bytes("first") } });
});

it("conflicting transactions are retried until one succeeds, with a limit", async () => {
  const conflicting = (times: number) => {
    let conflicts = 0;
    (table.client.middlewareStack as DynamoDBClient["middlewareStack"]).add(
      (next, context) => async (args) => {
        if (context.commandName !== "TransactWriteItemsCommand" || conflicts++ >= times) return next(args);
        throw new TransactionCanceledException({
          $metadata: {},
          message: "Transaction conflict",
          CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "None" }],
        });
      },
      { name: "conflicting", step: "initialize" },
    );
    return () => table.client.middlewareStack.remove("conflicting");
  };
  const fewEndpoints = conflicting(2);
  expect(await rotate("second")).toBe("changed");
  fewEndpoints();
  const manyEndpoints = conflicting(50);
  await expect(rotate("third")).rejects.toThrow("Transaction conflict");
  manyEndpoints();
  expect(await readEndpoint()).toMatchObject({ secretPrefix: "whs_second" });
});

it.each<[string, readonly EventType[]]>([
  ["all", eventTypes],
  ["all, in another order", [...eventTypes].reverse()],
  ...eventTypes.map((type): [string, readonly EventType[]] => [type, [type]]),
])("an endpoint's event types are read back as stored: %s", async (_what, events) => {
  const other = sampleEndpoint({ events });
  await endpoints.create(tenant, other, author("webhook.create"));
  expect((await endpoints.get(tenant, other.id))?.events).toEqual(events);
  await endpoints.update(tenant, other.id, { events: ["test.event"] }, author("webhook.update"));
  await endpoints.update(tenant, other.id, { events }, author("webhook.update"));
  expect((await endpoints.get(tenant, other.id))?.events).toEqual(events);
});
