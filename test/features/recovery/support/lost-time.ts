import { isDeepStrictEqual } from "node:util";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { openFiles } from "#base/aws/files.ts";
import { env } from "#base/config/names.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { DAY, HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { revokeKey } from "#features/access/flows/key-lists.ts";
import { changeMemberRole, removeMember } from "#features/access/flows/team/members.ts";
import { changeAuthor } from "#features/access/rules/callers.ts";
import { type Invite, newUserId } from "#features/access/rules/team.ts";
import { loginTokenKey } from "#features/access/store/items.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { type RestoreResult, restoreTable, type StepReport } from "#features/recovery/flows/restore.ts";
import { JOURNAL_PREFIX, openJournal } from "#features/recovery/journal.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { deleteWebhook, rotateSecret, updateWebhook } from "#features/webhooks/flows.ts";
import { restorePorts } from "../../../../functions/admin/restore-ports.ts";
import { allRows, type Row, seedDataSubject } from "../../../support/flows/data-subject.ts";
import type { TestEnv } from "../../../support/flows/test-env.ts";
import { JOURNAL_BUCKET } from "../../../support/host/emulated-services.ts";
import { openApiApp } from "../../../support/routes/api-app.ts";
import { queryItems } from "../../../support/stores/items.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { sampleEndpoint } from "../../../support/stores/samples.ts";
import { newEmail, openTeamEnv } from "../../access/flows/team/support/team.ts";
import { runDeletion } from "../../tenants/flows/support/doomed-tenant.ts";

const endpointNames = ["same", "deleted", "paused", "moved", "rotated"] as const;
type EndpointName = (typeof endpointNames)[number];
const author = { actor: "cli" } as const;

/**
 * A table as it was at an instant, and two hours in which acts of every kind were made by the flows of the service that need no
 * platform. `reset` makes the table the copy of that instant again, and `run` restores it as the command does.
 */
export async function openLostTime(testEnv: TestEnv) {
  const stores = openStores(testEnv.table);
  const team = openTeamEnv(testEnv);
  const queues = await testEnv.newQueues();
  const files = openFiles(JOURNAL_BUCKET, testEnv.s3);
  const journal = openJournal(files);
  const ports = { ...testEnv.apiPorts(queues), ...team.ports, journal };
  const api = await openApiApp(testEnv);
  const { client, name: TableName } = testEnv.table;

  const [tenant, suspended, deleted] = [await team.newTenant(), await team.newTenant(), await team.newTenant()];
  const [owner, removed, lowered] = [
    await team.newMember(tenant, "owner"),
    await team.newMember(tenant, "admin"),
    await team.newMember(tenant, "admin"),
  ];
  const account = { platform: "instagram", externalId: await testEnv.connect(tenant) } as const;
  const change = { action: "webhook.create", resource: "-", detail: {}, at: testEnv.now() } as const;
  const endpoints = Object.fromEntries(endpointNames.map((name) => [name, sampleEndpoint()])) as Record<
    EndpointName,
    ReturnType<typeof sampleEndpoint>
  >;
  for (const endpoint of Object.values(endpoints)) {
    await stores.endpoints.create(tenant, endpoint, changeAuthor(author, "admin", change));
  }
  const { conversation } = await seedDataSubject(testEnv, tenant, [endpoints.same.id], { messages: 2 });
  const invite: Invite = {
    id: `inv_${newUserId(testEnv.now()).slice(4)}`,
    tenant,
    email: newEmail(),
    role: "admin",
    status: "pending",
    invitedBy: "cli",
    createdAt: testEnv.now(),
    expiresAt: null,
    acceptedAt: null,
  };
  const invited = { ...changeAuthor(author, "admin", { ...change, action: "invite.create" }), memberId: null };
  await stores.invites.create(invite, { ...invited, addressHashes: await team.hashes(invite.email) });
  await client.send(new PutCommand({ TableName, Item: { ...loginTokenKey("login"), em: "sealed" } }));
  const [reader, revoked] = [await api.newKey(tenant), await api.newKey(tenant)];
  const keys = await stores.apiKeys.list(tenant);
  const keyId = keys.find(({ prefix }) => revoked.startsWith(prefix))?.id ?? "";
  const earlierEpoch = (await team.author(owner)).caller.epoch;

  testEnv.advance(MINUTE);
  const from = testEnv.now();
  const copy = await allRows(testEnv);

  testEnv.advance(HOUR);
  const now = testEnv.now();
  const request = (endpoint: EndpointName) => ({ tenant, endpointId: endpoints[endpoint].id, author, now });
  const byOwner = { tenant, author: await team.author(owner), now };
  const results = [
    await revokeKey(ports, { tenant, keyId, author, now }),
    await removeMember(ports, { ...byOwner, userId: removed }),
    await changeMemberRole(ports, { ...byOwner, userId: lowered, role: "agent" }),
    await setTenantStatus(ports, suspended, { author, status: "suspended" }, now),
    await runDeletion(testEnv, deleted, () => {}, { journal }),
    await deleteWebhook(ports, request("deleted")),
    await updateWebhook(ports, { ...request("paused"), changes: { status: "paused" } }),
    await updateWebhook(ports, { ...request("moved"), changes: { url: "https://93.184.216.34/new" } }),
    await rotateSecret(ports, request("rotated")),
    await eraseConversation(ports, { tenant, conversationId: conversation, author, now, time: testEnv }, () => true),
  ];
  const refused = results.filter((result) => isRefusal(result));
  if (refused.length > 0) throw new Error(`An act was refused: ${JSON.stringify(refused)}.`);
  testEnv.advance(HOUR);
  const startsAt = testEnv.now();
  const entries = new Set((await files.list(JOURNAL_PREFIX, null)).keys);

  async function resetTo(past: { rows: readonly Row[]; entries: ReadonlySet<string>; at: Millis }): Promise<void> {
    const remaining = new Map(past.rows.map((row) => [`${row.PK} ${row.SK}`, row]));
    for (const row of await allRows(testEnv)) {
      const { PK, SK } = row;
      const earlier = remaining.get(`${PK} ${SK}`);
      if (earlier === undefined) await client.send(new DeleteCommand({ TableName, Key: { PK, SK } }));
      else if (isDeepStrictEqual(earlier, row)) remaining.delete(`${PK} ${SK}`);
    }
    for (const Item of remaining.values()) await client.send(new PutCommand({ TableName, Item }));
    for (const key of (await files.list(JOURNAL_PREFIX, null)).keys) {
      if (!past.entries.has(key)) await files.remove(key);
    }
    testEnv.advance(past.at - testEnv.now());
  }

  /** What can be done with this table, or with another copy. */
  async function openCopy(table: Table) {
    const stored = openStores(table);
    const app = table === testEnv.table ? api : await openApiApp(testEnv, table);
    const time = {
      now: testEnv.now,
      /** The history of the account has nothing new. */
      async wait(duration: Millis) {
        testEnv.advance(duration);
        const check = await stored.accountChecks.get(tenant, account);
        if (check?.backfill) await stored.accountChecks.endBackfill(tenant, account, check.backfill);
      },
    };
    /** Reads the conversation by the API. @returns the status */
    const read = async () =>
      (await app.request(reader, `/v1/conversations/${encodeURIComponent(conversation)}`)).status;

    /** A process of the command. */
    async function run(
      isPreparation: boolean,
      report: (step: StepReport) => unknown = () => {},
    ): Promise<RestoreResult> {
      const { environment, clients } = testEnv.commandHost(queues);
      const ofTable = { ...environment, [env.table]: table.name };
      const commandPorts = restorePorts(ofTable, { time, isPreparation }, clients);
      return restoreTable(commandPorts, { from, isPreparation, time, report: (step) => void report(step) });
    }

    /** What a restore decides, without ids and times. */
    async function state() {
      const listed = await stored.endpoints.list(tenant, { consistent: true });
      const endpoint = (name: EndpointName) => listed.find(({ id }) => id === endpoints[name].id);
      const status = async (of: typeof tenant) => (await stored.tenants.get(of))?.status ?? "gone";
      const members = await stored.memberships.list(tenant);
      const role = (userId: string) => members.find((member) => member.userId === userId)?.role ?? "gone";
      const { restore } = (await stored.accounts.get(tenant, account)) ?? {};
      const { sessionEpoch } = (await stored.users.readSession(owner))?.user ?? { sessionEpoch: 0 };
      return {
        key: (await stored.apiKeys.getListed(tenant, keyId))?.status,
        members: [role(owner), role(removed), role(lowered)],
        tenants: [await status(tenant), await status(suspended), await status(deleted)],
        endpoints: endpointNames.map((name) => endpoint(name)?.status),
        hasNewSecret: endpoint("rotated")?.secondary?.expiresAt === startsAt + DAY,
        conversation: await read(),
        invite: (await stored.invites.get(tenant, invite.id))?.status,
        sessionsEnded: sessionEpoch > earlierEpoch + 1_000,
        links: (await queryItems(table, loginTokenKey("login").PK)).length,
        sends: restore?.from !== from ? "not stopped" : restore.until === null ? "stopped" : "on",
      };
    }
    return { read, run, state };
  }

  return {
    ...{ tenant, conversation, from, copy, openCopy },
    ...(await openCopy(testEnv.table)),
    /** The table is the copy, the journal is that of the lost time, and no time has passed since. */
    reset: () => resetTo({ rows: copy, entries, at: startsAt }),
    /** @returns what makes table, journal and clock what they are now again */
    async checkpoint(): Promise<() => Promise<void>> {
      const rows = await allRows(testEnv);
      const { keys } = await files.list(JOURNAL_PREFIX, null);
      const now = { rows, entries: new Set(keys), at: testEnv.now() };
      return () => resetTo(now);
    },
  };
}

/** The state of a copy that functions may use. */
export const PREPARED = {
  key: "revoked",
  members: ["owner", "gone", "agent"],
  tenants: ["active", "suspended", "suspended"],
  endpoints: ["active", "deleted", "paused", "paused", "active"],
  hasNewSecret: true,
  conversation: 404,
  invite: "revoked",
  sessionsEnded: true,
  links: 0,
  sends: "stopped",
};

/** The state of a table whose restore has ended. */
export const RESTORED = { ...PREPARED, tenants: ["active", "suspended", "gone"], sends: "on" };
