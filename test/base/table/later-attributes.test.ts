import { ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import type { Key } from "#base/table/keys.ts";
import { put, sendWrite } from "#base/table/writes.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import type { ApiKey } from "#features/access/store/items.ts";
import type { NewAccount } from "#features/accounts/store/connections.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { duePartition } from "#features/delivery/store/items.ts";
import { updateWebhook } from "#features/webhooks/flows.ts";
import {
  createInvite,
  createTenant,
  hashesOf,
  sampleInvite,
  signIn,
} from "../../features/access/store/support/team-samples.ts";
import { openStores } from "../../support/stores/open-stores.ts";
import { NOW, newTenant, sampleEndpoint, sampleNewAccount } from "../../support/stores/samples.ts";
import { startFlowTable } from "../../support/world/flow-table.ts";

// A later release has added an attribute to a row. When this release writes the row again, the attribute stays.

const started = await startFlowTable(() => NOW);
const table = openTable(started.tableName, started.client);
afterAll(() => started.close());
const stores = openStores(table);

let tenant: TenantId;
beforeEach(() => {
  tenant = newTenant();
});

const audit: AuditEntry = { action: "webhook.create", resource: "-", actor: "key:k", ip: null, detail: {}, at: NOW };
const LATER = "zz9";

async function rows(): Promise<(Key & Record<string, unknown>)[]> {
  const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.name, ConsistentRead: true }));
  return Items as (Key & Record<string, unknown>)[];
}

const textOf = ({ PK, SK }: Key) => `${PK} ${SK}`;

/** Adds the attribute to each row of the table that the first write made. */
async function extendRows(before: readonly Key[]): Promise<Key[]> {
  const known = new Set(before.map(textOf));
  const added = (await rows()).filter((row) => !known.has(textOf(row)));
  for (const { PK, SK } of added) {
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: { PK, SK },
        UpdateExpression: "SET #later = :later",
        ExpressionAttributeNames: { "#later": LATER },
        ExpressionAttributeValues: { ":later": { of: "a later release" } },
      }),
    );
  }
  return added;
}

const connect = (rest: Partial<NewAccount> = {}) => {
  const account = sampleNewAccount({
    externalId: `ig-${tenant}`,
    pageId: `page-${tenant}`,
    connectionId: newUlid(NOW),
    authorizedBy: [`ada-${tenant}`],
    ...rest,
  });
  return stores.accounts.connect({
    tenant,
    account,
    author: { audit: { ...audit, action: "account.connect" }, actor: null },
    now: NOW,
  });
};

/** What is written twice. `removed`: how many rows of the first write the second one removes. Default: none. */
const cases: Record<string, { first: () => Promise<unknown>; again: () => Promise<unknown>; removed?: number }> = {
  "a key whose row moves to a new pepper": {
    first: () => stores.apiKeys.create(newKey(), { hash: `old ${tenant}`, kid: "old" }, []),
    again: async () => {
      const key = (await stores.apiKeys.getByHash(`old ${tenant}`)) ?? expect.unreachable();
      expect(await stores.apiKeys.moveLookup(key, `old ${tenant}`, { hash: `new ${tenant}`, kid: "new" })).toBe(true);
    },
  },
  "an address that moves to a new key": {
    first: () => signIn(table, `a-${tenant}@example.com`),
    again: () => stores.users.moveToFirstHash([`new ${tenant}`, hashesOf(`a-${tenant}@example.com`)[0]]),
  },
  "a user who signs in again, whose address moves": {
    first: () => signIn(table, `b-${tenant}@example.com`),
    again: () =>
      stores.users.recordSignIn({
        addressHashes: [`newest ${tenant}`, hashesOf(`b-${tenant}@example.com`)[0]],
        email: `b-${tenant}@example.com`,
        newUserId: "usr_other",
        now: NOW + 1,
      }),
  },
  "an invite whose address moves": {
    first: async () => {
      await createTenant(table, tenant);
      await createInvite(table, sampleInvite(tenant, { email: `c-${tenant}@example.com` }));
    },
    again: () => stores.invites.moveToFirstHash(tenant, [`new ${tenant}`, hashesOf(`c-${tenant}@example.com`)[0]]),
  },
  "an account that is connected again, with its route, page, logins and check": {
    first: () => connect(),
    again: () => connect(),
  },
  "the route of an account that is disconnected": {
    first: () => connect({ connectionId: "01M7ZAN532DXZZ1TKP6RZ0YEPG" }),
    again: async () => {
      const ref = { platform: "instagram", externalId: `ig-${tenant}` } as const;
      const author = { audit: { ...audit, action: "account.disconnect" }, actor: null } as const;
      const connectionId = "01M7ZAN532DXZZ1TKP6RZ0YEPG";
      const result = await stores.accounts.disconnect({ tenant, ref, connectionId, author, event: null, now: NOW });
      expect(result.kind).toBe("disconnected");
    },
    // The account and the use of its page.
    removed: 2,
  },
  "a data deletion that is requested again, and is done": {
    first: () => stores.dataDeletions.start(`code-${tenant}`, "running", { now: NOW, issuedAt: NOW }),
    again: () => stores.dataDeletions.start(`code-${tenant}`, "done", { now: NOW + 1, issuedAt: NOW + 1 }),
  },
  "what is due": {
    first: writeDue,
    again: writeDue,
  },
  "the owner of an attachment": {
    first: () => recordAttachment(),
    again: () => recordAttachment(),
  },
  "the checkpoint of the daily check": {
    first: () => stores.waitingDeliveries.saveCursor({ PK: "a", SK: "b" } as never),
    again: () => stores.waitingDeliveries.saveCursor(null),
  },
  "the mark of an erasure for the sockets": {
    first: () => stores.sockets.markErasure(tenant, NOW),
    again: () => stores.sockets.markErasure(tenant, NOW + 1),
  },
  "the mark of a message that an erasure dropped": {
    first: () => stores.erasures.saveMark({ id: tenant, erasedAt: NOW }, "01M7ZAN532DXZZ1TKP6RZ0YEPG"),
    again: () => stores.erasures.saveMark({ id: tenant, erasedAt: NOW }, "01M7ZAN532DXZZ1TKP6RZ0YEPG"),
  },
  "the shards of a tenant": {
    first: () => stores.tenantStates.growShards(tenant, 1, 2),
    again: () => stores.tenantStates.growShards(tenant, 2, 4),
  },
};

function newKey(): ApiKey {
  const texts = { id: `k-${tenant}`, prefix: "p", label: "l" };
  const states = { status: "active", lastUsedAt: null, revokedAt: null, suspendedTenants: [] } as const;
  return { ...texts, ...states, scope: "live", tenants: [tenant, newTenant()], kind: "operator", createdAt: NOW };
}

async function writeDue(): Promise<void> {
  const endpointId = "01M7ZAN532DXZZ1TKP6RZ0YEPG";
  const due = { tenant, dueAt: NOW + DAY };
  await stores.due.put({ ...due, endpointId, eventUlid: endpointId, attempt: 2 });
  await stores.due.putTask({ ...due, endpointId, body: `task of ${tenant}` });
  await stores.due.putAccountTask({ ...due, body: `account task of ${tenant}` });
  await stores.due.putErasure({ ...due, erasureId: `erasure of ${tenant}` });
}

function recordAttachment(): Promise<void> {
  return stores.attachmentOwners.put(tenant, { attachmentId: "1", accountKey: "a", scope: "live", uploadedAt: NOW });
}

describe("a row that a later release extended", () => {
  it.each(Object.entries(cases))("%s keeps the attribute", async (_what, { first, again, removed = 0 }) => {
    const before = await rows();
    await first();
    const extended = await extendRows(before);
    expect(extended.length).toBeGreaterThan(0);
    const withAttribute = async () => (await rows()).filter((row) => row[LATER] !== undefined).length;
    const count = await withAttribute();
    await again();
    expect(await withAttribute()).toBe(count - removed);
  });
});

it("new events of an endpoint do not end its subscription to a type that this release does not know", async () => {
  const endpoint = sampleEndpoint({ events: ["message.received"] });
  await stores.endpoints.create(tenant, endpoint, { audit, actor: null });
  const Key = { PK: `T#${tenant}`, SK: `WH#${endpoint.id}` };
  const setEvents = new UpdateCommand({
    TableName: table.name,
    Key,
    UpdateExpression: "SET ev = :letters",
    ExpressionAttributeValues: { ":letters": "r?" },
  });
  await table.client.send(setEvents);
  expect(await stores.endpoints.get(tenant, endpoint.id)).toMatchObject({
    events: ["message.received"],
    laterEvents: "?",
  });
  const ports = { endpoints: stores.endpoints, gate: null, dnsQuota: null, retries: null } as never;
  const changes = { events: ["message.sent", "message.failed"] } as const;
  const author = { actor: "key:k", ip: null, member: null } as never;
  await updateWebhook(ports, { tenant, endpointId: endpoint.id, changes, author, now: NOW });
  const row = (await rows()).find(({ PK, SK }) => PK === Key.PK && SK === Key.SK);
  expect(row).toMatchObject({ ev: "sf?" });
});

it("work of a kind that only a later release knows is deferred as it is, with an error line, and not sent", async () => {
  const dueAt = NOW + 1;
  const row = { PK: duePartition(dueAt, 0), SK: `${dueAt}#ZZ#work of ${tenant}`, t: tenant, b: "{}", zz9: [1] };
  await sendWrite(table, put(row));
  const sent: unknown[] = [];
  const lines: unknown[] = [];
  const queue = { sendAll: async (messages: readonly unknown[]) => void sent.push(...messages) };
  const ports = {
    due: stores.due,
    retries: queue,
    erasureWork: queue,
    accountWork: queue,
    log: (line: unknown) => lines.push(line),
  };
  for (let run = 0; run < 2; run++) await sweepDue(ports as never, NOW + run);
  expect(sent).toEqual([]);
  expect(lines).toContainEqual({ event: "due_items.deferred", items: 1 });
  const later = (await rows())
    .filter(({ SK }) => SK.includes(`#ZZ#work of ${tenant}`))
    .map(({ SK, PK: _PK, ...rest }) => ({ SK, ...rest }));
  const { PK: _PK, SK: _SK, ...rest } = row;
  expect(later).toContainEqual({ SK: `${NOW + 30 * MINUTE}#ZZ#work of ${tenant}`, ...rest });
});
