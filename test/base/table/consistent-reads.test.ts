import { afterAll, beforeEach, expect, test } from "vitest";
import { deriveEventUlid } from "#base/events/events.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { SECOND } from "#base/kernel/time.ts";
import { openTable, type Table } from "#base/table/client.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import { apiKeyStore } from "#features/access/store/api-keys.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { loginTokenStore } from "#features/access/store/login-tokens.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { userStore } from "#features/access/store/users.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { authorizationStore } from "#features/accounts/store/authorizations.ts";
import type { NewAccount } from "#features/accounts/store/connections.ts";
import { pageUseStore } from "#features/accounts/store/page-uses.ts";
import { CLOSED } from "#features/delivery/rules/breaker.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { deliveryKey } from "#features/delivery/store/items.ts";
import { deriveErasureId, messageMarks } from "#features/erasure/rules/erasures.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { erasedEvents, traceStore } from "#features/erasure/store/traces.ts";
import { checkAttemptStore } from "#features/holds/store/check-attempts.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageChangeStore } from "#features/inbox/store/message-changes.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { pendingChangeStore } from "#features/inbox/store/pending-changes.ts";
import { sendRecordStore } from "#features/sending/store/send-records.ts";
import { tenantStatusStore } from "#features/tenants/store/tenant-status.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { listWebhooks } from "#features/webhooks/flows.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import {
  createInvite,
  createMember,
  createTenant,
  hashesOf,
  sampleInvite,
} from "../../features/access/store/support/team-samples.ts";
import { createSampleHold } from "../../support/stores/hold-samples.ts";
import {
  NOW,
  newTenant,
  SAMPLE_INBOX,
  sampleConversationId,
  sampleMessage,
  sampleNewAccount,
} from "../../support/stores/samples.ts";
import { openWorldTable } from "../../support/world/world-table.ts";

// Each of these reads must see the last write. Here every eventually consistent read answers from the empty table that
// was there before all writes, so a read that is not consistent finds nothing. Each title says what would go wrong.

const world = openWorldTable(() => NOW);
world.setLag(() => Number.POSITIVE_INFINITY);
const table: Table = openTable(world.tableName, world.client);
afterAll(() => world.close());

let tenant: TenantId;
let conversation: string;
beforeEach(() => {
  tenant = newTenant();
  conversation = sampleConversationId(tenant);
});

const audit: AuditEntry = { action: "webhook.create", resource: "-", actor: "key:k", ip: null, detail: {}, at: NOW };
const sealed = new Uint8Array([1]);

async function startSend(): Promise<string> {
  const id = newUlid(NOW);
  const nothing = { actorId: null, holdId: null, replyTo: null };
  const send = { id, content: "hash", via: "api_in_window", scope: "live", ...nothing } as const;
  await sendRecordStore(table).start(conversation, send, NOW);
  return id;
}

async function recordMessage(id = "m1") {
  const message = sampleMessage(tenant, { id });
  const { ref } = await messageStore(table).record(tenant, message, NOW);
  await conversationStore(table).advanceHead(tenant, message, SAMPLE_INBOX);
  return { message, ref };
}

async function startErasure(): Promise<void> {
  const erasures = erasureStore(table);
  const { head } = await erasures.getWithHead(conversation, NOW);
  await erasures.start(tenant, conversation, head, {
    erasedAt: NOW,
    op: newUlid(NOW),
    actor: "key:k",
    ip: null,
    member: null,
  });
}

async function recordDelivery(): Promise<{ endpointId: string; eventUlid: string }> {
  const key = { endpointId: newUlid(NOW), eventUlid: newUlid(NOW) };
  const delivery = { ...key, eventType: "message.received", source: null, test: false } as const;
  await deliveryStore(table).recordFirst(tenant, delivery, {
    verdict: { status: "retrying", nextRetryAt: NOW },
    outcome: null,
    settledAt: NOW,
  });
  return key;
}

async function createEndpoint(): Promise<string> {
  const id = newUlid(NOW);
  await endpointStore(table).create(
    tenant,
    {
      id,
      url: "https://one.example/",
      events: ["message.received"],
      status: "active",
      secretPrefix: "whs_first000",
      sealedSecret: sealed,
      secondary: null,
      pausedBy: null,
      pausedEvent: null,
      breaker: CLOSED,
      breakerOp: null,
      createdAt: NOW,
      updatedAt: NOW,
    },
    { audit, actor: null },
  );
  return id;
}

async function connectAccount(rest: Partial<NewAccount> = {}): Promise<Account> {
  const account = sampleNewAccount({ externalId: `ig-${tenant}`, ...rest });
  const author = { audit: { ...audit, action: "account.connect" }, actor: null } as const;
  const result = await accountStore(table).connect({ tenant, account, author, now: NOW });
  if (result.kind !== "connected") throw new Error("The account is not connected.");
  return result.account;
}

test("the head of a conversation: a reply to its first message would not be found", async () => {
  await recordMessage();
  expect(await conversationStore(table).get(tenant, conversation, NOW)).not.toBeNull();
});

test("the heads of a batch of changes: a change of an erased message would be stored", async () => {
  await recordMessage();
  const snapshots = await conversationStore(table).snapshots([conversation], { consistent: true });
  expect(snapshots.get(conversation)).toMatchObject({ exists: true });
});

test("the messages of a batch of events: a message that was stored a moment ago would count as erased", async () => {
  const { ref } = await recordMessage();
  expect((await messageStore(table).getByRefs(tenant, [ref])).size).toBe(1);
});

test("a message among the newest: its change would wait for ever", async () => {
  const { message, ref } = await recordMessage();
  expect(await messageChangeStore(table).findAmongNewest(conversation, message.id)).toEqual(ref);
});

test("a pending change: its message would be stored without it", async () => {
  const changes = pendingChangeStore(table);
  await changes.unsend(conversation, "m1", { at: NOW }, NOW);
  expect(await changes.get(conversation, "m1")).toEqual({ unsentAt: NOW, edit: null, reactions: [] });
});

test("the bodies of events: an event that was published a moment ago would count as erased", async () => {
  const eventBodies = eventBodyStore(table);
  const ulid = newUlid(NOW);
  await eventBodies.save(tenant, { ulid, type: "message.edited", body: "{}" });
  expect((await eventBodies.getByUlids(tenant, [ulid])).size).toBe(1);
});

test("the events of edits: the text of an edit would outlive its unsend", async () => {
  const eventBodies = eventBodyStore(table);
  const ulid = newUlid(NOW);
  await eventBodies.recordRef(conversation, { changeName: "edit 1", eventUlid: ulid, changedAt: NOW }, NOW);
  await eventBodies.save(tenant, { ulid, type: "message.edited", body: "{}" });
  await eventBodies.deleteBodies(tenant, conversation, ["edit 1"]);
  expect((await eventBodies.getByUlids(tenant, [ulid])).size).toBe(0);
});

test("the row of a delivery: a repeated event would call its receiver again", async () => {
  const { endpointId, eventUlid } = await recordDelivery();
  expect(await deliveryStore(table).get(tenant, endpointId, eventUlid)).toMatchObject({ status: "retrying" });
});

test("an endpoint: a retry would call the URL from before its change", async () => {
  expect(await endpointStore(table).get(tenant, await createEndpoint())).toMatchObject({ status: "active" });
});

test("the endpoints of a tenant: an erasure would miss the deliveries of a new one", async () => {
  const id = await createEndpoint();
  expect(await endpointStore(table).list(tenant, { consistent: true })).toMatchObject([{ id }]);
});

test("the list of endpoints: it would not show a new one", async () => {
  const id = await createEndpoint();
  expect(await listWebhooks({ endpoints: endpointStore(table) }, tenant)).toMatchObject([{ id }]);
});

test("the record of a send: a repeated key would send again", async () => {
  const id = await startSend();
  expect(await sendRecordStore(table).get(conversation, id)).toMatchObject({ state: "sending" });
});

test("the sends before an echo: the message of a send would be stored twice", async () => {
  const id = await startSend();
  const records = await sendRecordStore(table).startedBetween(conversation, NOW - SECOND, NOW);
  expect(records).toMatchObject([{ id }]);
});

test("the account of a send: a refused token would be used again", async () => {
  const account = await connectAccount();
  expect(await accountStore(table).get(tenant, account)).toMatchObject({ status: "active" });
});

test("the route of an account: its first messages would be dropped", async () => {
  const account = await connectAccount();
  expect(await accountStore(table).getRoute(account)).toMatchObject({ tenant });
});

test("the account to connect again: its former page would count as used for ever", async () => {
  const { externalId } = await connectAccount({ connection: "instagram_page", pageId: `page-${tenant}` });
  await connectAccount({ externalId });
  expect(await pageUseStore(table).list(`page-${tenant}`)).toEqual([]);
});

test("the account to disconnect: it would stay connected", async () => {
  const account = await connectAccount();
  const { connectionId } = account;
  const author = { audit: { ...audit, action: "account.disconnect" }, actor: null } as const;
  const disconnection = accountStore(table).disconnect({
    tenant,
    ref: account,
    connectionId,
    author,
    event: null,
    now: NOW,
  });
  expect(await disconnection).toMatchObject({ kind: "disconnected" });
});

test("the uses of a page: the subscription of an account that was connected a moment ago would end", async () => {
  const { platform, externalId } = await connectAccount({ connection: "instagram_page", pageId: `page-${tenant}` });
  expect(await pageUseStore(table).list(`page-${tenant}`)).toEqual([{ tenant, account: { platform, externalId } }]);
});

test("the accounts of a platform login: a deauthorization would miss the newest", async () => {
  const { platform, externalId, connectionId } = await connectAccount({ authorizedBy: [`person-${tenant}`] });
  const authorization = {
    platformUserId: `person-${tenant}`,
    tenant,
    account: { platform, externalId },
    connectionId,
    otherIds: [],
    endsAt: null,
  };
  expect(await authorizationStore(table).list(`person-${tenant}`)).toEqual([authorization]);
});

test("the next check of an account: its connection would count as checked by no process", async () => {
  const { platform, externalId, connectionId } = await connectAccount();
  const check = {
    tenant,
    account: { platform, externalId },
    connectionId,
    authorizedBy: [],
    formerLogins: [{ connectionId: newUlid(NOW), platformUserId: "1" }],
    dueAt: NOW,
    subscribedAt: 5,
    heldSince: 4,
    backfill: { since: 5, until: 6 },
    picture: { url: "https://pictures.example/account.jpg", expiresAt: 7 },
  };
  const accountChecks = accountCheckStore(table);
  const ofConnecting = await accountChecks.get(tenant, check.account);
  if (ofConnecting) await accountChecks.remove(ofConnecting);
  await accountChecks.add(check);
  expect(await accountChecks.get(tenant, check.account)).toEqual(check);
});

test("a hold: the page of a new link would show nothing", async () => {
  const { id } = await createSampleHold(table);
  expect(await holdStore(table).get(id)).not.toBeNull();
});

test("the attempts of an address: it could exceed its limit", async () => {
  const attempts = checkAttemptStore(table);
  await attempts.add("address", "failure", NOW);
  expect(await attempts.get("address", NOW)).toEqual({ all: 1, failed: 1 });
});

test("the marker of an erasure: a message from before it would be stored again", async () => {
  await recordMessage();
  await startErasure();
  expect(await erasureStore(table).erasedAt(conversation, NOW)).toBe(NOW);
});

test("the head and the erasure of a conversation: a repeated erasure would not find the one in progress", async () => {
  await recordMessage();
  await startErasure();
  const { head, erasure } = await erasureStore(table).getWithHead(conversation, NOW);
  expect(erasure).toMatchObject({ phase: "first" });
  expect(head.attributes).not.toEqual({});
});

test("an erasure in progress: its background would drop its message", async () => {
  await recordMessage();
  await startErasure();
  const id = deriveErasureId(conversation);
  expect(await erasureStore(table).get(tenant, id)).toMatchObject({ phase: "first" });
});

test("the events of an erasure: the echo of an erased send would be stored", async () => {
  const ulids = [deriveEventUlid(tenant, "m1", "message.sent", NOW)];
  const events = erasedEvents(table);
  await events.saveEvents({ id: deriveErasureId(conversation), erasedAt: NOW }, { ulids, bodies: [] });
  expect(await events.isRemoved(conversation, messageMarks(tenant, "m1"))).toBe(true);
});

test("the rows of a conversation: an erasure would miss the newest", async () => {
  await recordMessage();
  const { traces } = await traceStore(table).page(conversation, "");
  expect(traces.map(({ counts }) => counts)).toEqual(["messages"]);
});

test("the deliveries of an erased event: an erasure would count too few", async () => {
  const { endpointId, eventUlid } = await recordDelivery();
  const key = deliveryKey(tenant, endpointId, eventUlid);
  expect(await traceStore(table).filterExisting([key])).toEqual([key]);
});

/** A key is counted on the row of its tenant. */
async function createTenantRow(): Promise<void> {
  await tenantStore(table).create(
    { id: tenant, name: "Shop", status: "active", ownerEmail: null, createdAt: NOW },
    { ...audit, action: "tenant.create" },
  );
}

test("an API key: a revoked one would still be accepted", async () => {
  await createTenantRow();
  const key = { id: newUlid(NOW), prefix: "pk", scope: "live", label: "", kind: "tenant", status: "active" } as const;
  await apiKeyStore(table).create(
    { ...key, tenants: [tenant], createdAt: NOW },
    { hash: `hash of ${tenant}`, kid: "kid" },
    [],
  );
  expect(await apiKeyStore(table).getByHash(`hash of ${tenant}`)).toMatchObject({ status: "active" });
});

test("a tenant: the command after its creation would not find it", async () => {
  const created = { id: tenant, name: "One", status: "active", ownerEmail: null, createdAt: NOW } as const;
  await tenantStore(table).create(created, audit);
  const stored = { ...created, language: null, updatedAt: NOW };
  expect(await tenantStore(table).get(tenant)).toEqual(stored);
  expect(await tenantStore(table).list([tenant])).toEqual([stored]);
});

test("the keys of a tenant: one that was created a moment ago would keep its access to a suspended tenant", async () => {
  await createTenantRow();
  const key = { id: newUlid(NOW), prefix: "svc_live_abcd", scope: "live", label: "", createdAt: NOW } as const;
  const keys = { [`bound-${tenant}`]: "tenant", [`operator-${tenant}`]: "operator" } as const;
  for (const [hash, kind] of Object.entries(keys)) {
    await apiKeyStore(table).create({ ...key, id: newUlid(NOW), kind, tenants: [tenant] }, { hash, kid: "kid" }, []);
  }
  const statuses = tenantStatusStore(table);
  expect(await statuses.set(tenant, "suspended", { ...audit, action: "tenant.update" })).toBe("set");
  expect(await statuses.markKeys(tenant, "suspended")).toBe(true);
  for (const hash of Object.keys(keys)) {
    expect(await apiKeyStore(table).getByHash(hash)).toMatchObject({ suspendedTenants: [tenant] });
  }
});

test("a key of the list: one that was created a moment ago could be neither seen nor revoked", async () => {
  await createTenantRow();
  const key = { id: newUlid(NOW), prefix: "svc_live_abcd", scope: "live", label: "", createdAt: NOW } as const;
  const keys = apiKeyStore(table);
  await keys.create({ ...key, kind: "tenant", tenants: [tenant] }, { hash: `listed-${tenant}`, kid: "kid" }, []);
  expect(await keys.list(tenant)).toMatchObject([{ id: key.id }]);
  const listed = await keys.getListed(tenant, key.id);
  if (!listed) throw new Error("The key is not listed.");
  expect(await keys.revoke(listed, { audits: [], now: NOW })).toBe("revoked");
  expect(await keys.getByHash(`listed-${tenant}`)).toMatchObject({ status: "revoked" });
});

test("a sign-in link: its mail is sent a moment after it was requested", async () => {
  const token = { sealedAddress: sealed, sealedToken: sealed, redirect: "/", expiresAt: NOW + SECOND };
  await loginTokenStore(table).create(`login-${tenant}`, token);
  expect(await loginTokenStore(table).get(`login-${tenant}`)).toMatchObject({ expiresAt: NOW + SECOND });
});

test("a session: a member who was removed a moment ago would keep the access", async () => {
  const tenant = await createTenant(table);
  const user = await createMember(table, tenant, "owner");
  expect(await userStore(table).readSession(user.id)).toMatchObject({ user, memberships: [{ tenant }] });
  expect(await userStore(table).getByAddress(hashesOf(user.email))).toEqual(user);
  expect(await membershipStore(table).get(tenant, user.id)).toMatchObject({ role: "owner" });
  expect(await membershipStore(table).list(tenant)).toHaveLength(1);
});

test("the members of a tenant: one who joined a moment ago would keep the access to a suspended tenant", async () => {
  const tenant = await createTenant(table);
  const user = await createMember(table, tenant, "agent");
  const statuses = tenantStatusStore(table);
  await statuses.set(tenant, "suspended", { ...audit, action: "tenant.update" });
  expect(await statuses.markMembers(tenant, "suspended")).toBe(true);
  expect((await userStore(table).readSession(user.id))?.memberships).toMatchObject([{ isSuspended: true }]);
});

test("an invite: a person who was invited a moment ago would get no mail, and it could not be revoked", async () => {
  const tenant = await createTenant(table);
  const invite = sampleInvite(tenant);
  await createInvite(table, invite);
  expect(await inviteStore(table).pendingFor(hashesOf(invite.email), NOW)).toMatchObject([{ inviteId: invite.id }]);
  expect(await inviteStore(table).get(tenant, invite.id)).toEqual(invite);
  expect(await inviteStore(table).list(tenant)).toEqual([invite]);
});
