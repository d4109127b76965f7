import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { openFiles } from "#base/aws/files.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { apiKeyItemKey, loginTokenKey, operatorKeyItemKey, tenantKey } from "#features/access/store/items.ts";
import { accountItemKey, authorizationKey } from "#features/accounts/store/items.ts";
import { headKey, messageKey } from "#features/inbox/store/items.ts";
import { applyJournal } from "#features/recovery/flows/apply-journal.ts";
import { readLostActs } from "#features/recovery/flows/lost-acts.ts";
import type { ApplyJournalPorts, RestoredActs } from "#features/recovery/flows/ports.ts";
import { readRestoredTable } from "#features/recovery/flows/read-table.ts";
import { type JournalAct, journalSubject, openJournal } from "#features/recovery/journal.ts";
import { restoredErasureStore } from "#features/recovery/store/restored-erasures.ts";
import { restoredRowStore } from "#features/recovery/store/restored-rows.ts";
import { restoreStore } from "#features/recovery/store/restores.ts";
import { endpointKey } from "#features/webhooks/store/items.ts";
import { JOURNAL_BUCKET } from "../../support/host/emulated-services.ts";
import { openStores } from "../../support/stores/open-stores.ts";
import { newTenant, sampleConversationId } from "../../support/stores/samples.ts";
import { useTeam } from "../access/flows/team/support/team.ts";

// A table that was restored to an earlier time, and the journal of what was done since.

const { testEnv, team } = useTeam();
const files = () => openFiles(JOURNAL_BUCKET, testEnv.s3);
const journal = () => openJournal(files());
const time = { now: () => testEnv.now(), wait: async (duration: Millis) => testEnv.advance(duration) };

/** The acts of other features only note that they are made. */
function openPorts() {
  const made: unknown[] = [];
  const note =
    (name: keyof RestoredActs) =>
    async (...values: readonly unknown[]) => {
      made.push([name, ...values.slice(0, -1)]);
      return "made" as const;
    };
  const ports: ApplyJournalPorts = {
    ...team.ports,
    journal: journal(),
    journalFiles: files(),
    restoredRows: restoredRowStore(testEnv.table),
    restoredErasures: restoredErasureStore(testEnv.table),
    memberships: openStores(testEnv.table).memberships,
    acts: {
      revokeKey: note("revokeKey"),
      setTenantStatus: note("setTenantStatus"),
      eraseConversation: note("eraseConversation"),
      deleteData: note("deleteData"),
      disconnectAccount: note("disconnectAccount"),
      rotateWebhookSecret: note("rotateWebhookSecret"),
      deleteTenant: note("deleteTenant"),
      setWebhookStatus: note("setWebhookStatus"),
      deleteWebhook: note("deleteWebhook"),
      endInvite: note("endInvite"),
    },
  };
  return { ports, made };
}

/** Makes the acts since an instant, as a step of a restore. */
async function apply(ports: ApplyJournalPorts, since: Millis, isPreparation: boolean) {
  const lost = await readLostActs(ports, since);
  const { matches } = await readRestoredTable(ports, lost);
  return applyJournal(ports, { lost, matches, isPreparation, time });
}

async function save(...rows: readonly object[]): Promise<void> {
  for (const Item of rows) await testEnv.table.client.send(new PutCommand({ TableName: testEnv.table.name, Item }));
}

/** Records acts, a second each. @returns the entries */
async function record(...acts: readonly JournalAct[]) {
  const entries = [];
  for (const act of acts) {
    testEnv.advance(SECOND);
    const entry = { id: newUlid(testEnv.now()), at: testEnv.now(), act };
    await journal().record(entry);
    entries.push(entry);
  }
  return entries;
}

const erase = (conversationId: string, upTo: Millis): JournalAct => ({
  kind: "conversation.erase",
  conversationId,
  upTo,
});
const suspend = (tenant: TenantId): JournalAct => ({ kind: "tenant.suspend", tenant });
const resume = (tenant: TenantId): JournalAct => ({ kind: "tenant.resume", tenant });

it("the acts since the restore are made once each, about the rows whose hashes they have, with the latest limit", async () => {
  testEnv.advance(DAY);
  const [shop, other, third, active] = [newTenant(), newTenant(), newTenant(), newTenant()];
  const conversation = sampleConversationId(shop);
  const account = { platform: "instagram", externalId: "1784" } as const;
  const [keyId, operatorKeyId, endpointId] = [1, 2, 3].map(() => newUlid(testEnv.now())) as [string, string, string];
  await save(
    ...[shop, other, third, active].map((tenant) => ({ ...tenantKey(tenant), n: "Shop", st: "active" })),
    headKey(conversation),
    messageKey(conversation, "1#m"),
    apiKeyItemKey(shop, keyId),
    operatorKeyItemKey(operatorKeyId),
    { ...accountItemKey(shop, account), ci: "c-1" },
    endpointKey(shop, endpointId),
    authorizationKey("person-1", shop, account),
    authorizationKey("person-1", other, account),
  );
  const from = testEnv.now();
  // The table knows it, but clocks differ.
  testEnv.advance(-6 * MINUTE);
  await record({ kind: "account.disconnect", tenant: shop, account: "instagram#1784", connectionId: "c-1" });
  testEnv.advance(6 * MINUTE);
  const entries = await record(
    erase(conversation, from + HOUR),
    erase(conversation, from),
    erase("CONV#gone#instagram#1#2", from + 7),
    { kind: "key.revoke", keyId },
    { kind: "key.revoke", keyId: operatorKeyId },
    { kind: "key.revoke", keyId: newUlid(from) },
    suspend(shop),
    resume(shop),
    resume(other),
    suspend(other),
    { kind: "account.disconnect", tenant: shop, account: "instagram#1784", connectionId: "another" },
    { kind: "webhook_secret.rotate", tenant: shop, endpointId },
    { kind: "data.delete", platformUserId: "person-1", issuedAt: from - DAY },
    { kind: "tenant.delete", tenant: third },
    suspend(active),
  );
  await journal().withdraw(entries.at(-1) as (typeof entries)[number]);
  await files().put("acts/unknown", Buffer.from('{"version":2}'));

  const { ports, made } = openPorts();
  const prepared = await apply(ports, from, true);
  const beforeUse = [
    ["revokeKey", null, operatorKeyId],
    ["revokeKey", shop, keyId],
    ["setTenantStatus", other, "suspended"],
    ["setTenantStatus", shop, "active"],
    ["setTenantStatus", third, "suspended"],
    ["rotateWebhookSecret", shop, endpointId],
    ["eraseConversation", conversation, from + HOUR],
  ];
  const texts = (acts: readonly unknown[]) => acts.map((act) => JSON.stringify(act)).sort();
  const expectMade = (expected: readonly unknown[]) => expect(texts(made.splice(0))).toEqual(texts(expected));
  expectMade(beforeUse);
  expect(prepared.problems).toEqual([expect.stringContaining("acts/unknown")]);

  const all = await apply(ports, from, false);
  expect(made.at(-1)).toEqual(["deleteTenant", third]);
  expectMade([...beforeUse, ["deleteData", "person-1", from - DAY], ["deleteTenant", third]]);
  expect(Object.fromEntries(all.made)).toMatchObject({ "key.revoke": 2, "tenant.delete": 1 });
  // What the table does not have is not fetched either.
  const gone = journalSubject(erase("CONV#gone#instagram#1#2", 0));
  expect(await restoredErasureStore(testEnv.table).get(gone)).toMatchObject({ upTo: from + 7 });
  await files().remove("acts/unknown");
});

it("an endpoint is deleted, paused or resumed as its last act was, and paused where its last URL is lost", async () => {
  testEnv.advance(DAY);
  const tenant = newTenant();
  const names = ["deleted", "paused", "resumed", "moved", "back", "rotated"] as const;
  const ids = Object.fromEntries(names.map((name) => [name, newUlid(testEnv.now())])) as Record<string, string>;
  const id = (name: (typeof names)[number]) => ids[name] ?? "";
  await save(...names.map((name) => ({ ...endpointKey(tenant, id(name)), u: "https://a.example/" })));
  const since = testEnv.now();
  const url = (name: (typeof names)[number], text: string): JournalAct => ({
    ...{ kind: "webhook_url.change", tenant, endpointId: id(name), url: text },
  });
  const act = (kind: "pause" | "resume" | "delete", name: (typeof names)[number]): JournalAct => ({
    ...{ kind: `webhook.${kind}`, tenant, endpointId: id(name) },
  });
  const rotate = (name: (typeof names)[number]): JournalAct => ({
    ...{ kind: "webhook_secret.rotate", tenant, endpointId: id(name) },
  });
  await record(
    ...[url("deleted", "https://b.example/"), rotate("deleted"), act("pause", "deleted"), act("delete", "deleted")],
    ...[act("resume", "paused"), act("pause", "paused"), act("pause", "resumed"), act("resume", "resumed")],
    ...[url("moved", "https://b.example/"), act("resume", "moved"), rotate("moved")],
    ...[url("back", "https://b.example/"), act("pause", "back"), act("resume", "back")],
    ...[url("back", "https://a.example/"), rotate("rotated")],
  );
  const { ports, made } = openPorts();
  const { problems } = await apply(ports, since, true);
  const expected = [
    ["rotateWebhookSecret", tenant, id("moved")],
    ["rotateWebhookSecret", tenant, id("rotated")],
    ["setWebhookStatus", tenant, id("moved"), "paused"],
    ["setWebhookStatus", tenant, id("paused"), "paused"],
    ["setWebhookStatus", tenant, id("resumed"), "active"],
    ["setWebhookStatus", tenant, id("back"), "active"],
    ["deleteWebhook", tenant, id("deleted")],
  ];
  const texts = (acts: readonly unknown[]) => acts.map((each) => JSON.stringify(each)).sort();
  expect(texts(made)).toEqual(texts(expected));
  // By their time the secrets that were rotated are known, which a later change of the endpoint would hide.
  expect(made.slice(0, 2)).toEqual(made.filter((each) => (each as string[])[0] === "rotateWebhookSecret"));
  expect(problems).toEqual([
    `The endpoint ${id("moved")} of ${tenant} is paused, because its last URL is lost. Ask an admin of ${tenant} to set the URL and to resume it.`,
  ]);
});

it("a member is removed or lowered as since the restore, unless they joined later, and a last owner is reported", async () => {
  testEnv.advance(DAY);
  const tenant = await team.newTenant();
  const [owner, last, removed, lowered, agent] = [
    await team.newMember(tenant, "owner"),
    await team.newMember(tenant, "owner"),
    await team.newMember(tenant, "admin", "again@example.com"),
    await team.newMember(tenant, "admin"),
    await team.newMember(tenant, "agent"),
  ];
  testEnv.advance(SECOND);
  const since = testEnv.now();
  await record(
    { kind: "member.remove", tenant, userId: removed },
    { kind: "member.lower", tenant, userId: lowered, role: "agent" },
    { kind: "member.lower", tenant, userId: agent, role: "admin" },
    { kind: "member.remove", tenant, userId: owner },
    { kind: "member.lower", tenant, userId: last, role: "agent" },
  );
  const { ports } = openPorts();
  const { memberships, audit } = openStores(testEnv.table);
  const roles = async () =>
    Object.fromEntries((await memberships.list(tenant)).map(({ userId, role }) => [userId, role]));
  const { made, problems } = await apply(ports, since, true);
  expect(await roles()).toEqual({ [last]: "owner", [lowered]: "agent", [agent]: "agent" });
  expect(problems).toEqual([expect.stringContaining(`${last} is the only owner of ${tenant}`)]);
  expect(Object.fromEntries(made)).toEqual({ "member.remove": 2, "member.lower": 1 });
  const { rows } = await audit.list(tenant, { before: null, limit: 100, now: testEnv.now() });
  const byRestore = rows.filter(({ actor }) => actor === "restore").map(({ action }) => action);
  expect(byRestore.sort()).toEqual(["member.remove", "member.remove", "member.role_change"]);
  // Invited again since.
  testEnv.advance(SECOND);
  expect(await team.newMember(tenant, "admin", "again@example.com")).toBe(removed);
  await apply(ports, since, true);
  expect(await roles()).toHaveProperty(removed, "admin");
});

it("a restore ends the sessions by a number that no session has, and removes the sign-in links", async () => {
  const tenant = await team.newTenant();
  const userId = await team.newMember(tenant, "agent");
  const rows = restoredRowStore(testEnv.table);
  const { users } = openStores(testEnv.table);
  const epoch = async () => (await users.readSession(userId))?.user.sessionEpoch ?? 0;
  await save({ ...loginTokenKey("login-1"), em: "sealed" });
  const before = await epoch();
  await rows.endSessions(userId);
  await rows.removeLink("login-1");
  // A sign-out adds 1.
  expect(await epoch()).toBeGreaterThan(before + 1_000);
  const links = [];
  for await (const page of rows.scan()) links.push(...page.filter((row) => row.kind === "link"));
  expect(links).toEqual([]);
});

it("a restore that was interrupted continues, and the table has no restore to two times", async () => {
  const restores = restoreStore(testEnv.table);
  const from = testEnv.now();
  testEnv.advance(HOUR);
  const started = await restores.start(from, testEnv.now());
  expect(started).toMatchObject({ kind: "started", restore: { from, journalSince: from, endedAt: null } });
  testEnv.advance(MINUTE);
  expect(await restores.start(from, testEnv.now())).toEqual(started);
  expect(await restores.start(from - DAY, testEnv.now())).toMatchObject({ kind: "other", restore: { from } });
  // The table was copied while it was being restored: what the journal had then is still to be made.
  const later = testEnv.now() + MINUTE;
  testEnv.advance(HOUR);
  const next = await restores.start(later, testEnv.now());
  expect(next).toMatchObject({ kind: "started", restore: { from: later, journalSince: from } });
  await restores.end(later, testEnv.now());
  expect(await restores.start(later, testEnv.now())).toMatchObject({ kind: "ended" });
  expect(await restores.start(later - MINUTE, testEnv.now())).toMatchObject({ kind: "other" });
  // A copy of just after its end, by the clock of DynamoDB, which is a minute behind that of the operator.
  const soon = testEnv.now() - MINUTE;
  testEnv.advance(HOUR);
  expect(await restores.start(soon, testEnv.now())).toMatchObject({ kind: "started", restore: { journalSince: soon } });
});

it("a deletion and an erasure that the time of the copy interrupted are completed, and other acts of before are not made", async () => {
  testEnv.advance(3 * DAY);
  const [before, during] = [newTenant(), newTenant()];
  const conversation = sampleConversationId(during);
  const endpointId = newUlid(testEnv.now());
  await save(
    ...[before, during].map((tenant) => ({ ...tenantKey(tenant), n: "Shop", st: "active" })),
    ...[headKey(conversation), endpointKey(during, endpointId)],
  );
  await record({ kind: "tenant.delete", tenant: before });
  testEnv.advance(DAY);
  const at = testEnv.now();
  await record(erase(conversation, at), { kind: "webhook_secret.rotate", tenant: during, endpointId });
  await record(resume(during), { kind: "tenant.delete", tenant: during });
  testEnv.advance(HOUR);
  const { ports, made } = openPorts();
  await apply(ports, testEnv.now(), false);
  expect(made).toEqual([
    ["setTenantStatus", during, "suspended"],
    ["eraseConversation", conversation, at],
    ["deleteTenant", during],
  ]);
});
