import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE, type Millis } from "#base/kernel/time.ts";
import { authenticate } from "#features/access/authenticate.ts";
import { createKey, createOperatorKey } from "#features/access/flows/keys.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { injectFaults } from "../../../support/faults.ts";
import { allRows } from "../../../support/flows/data-subject.ts";
import { eachFault } from "../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { repetitions } from "../../../support/sampling.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { newTenant, sampleCounts, sampleMessage, toTenantId } from "../../../support/stores/samples.ts";
import { openTeamEnv } from "../../access/flows/team/support/team.ts";
import { openWorkspace, runDeletion } from "./support/doomed-tenant.ts";

let tenant: TenantId;
let doomed: number = 0;
const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());
beforeEach(() => {
  tenant = toTenantId(`doomed-${++doomed}`);
});

const SMALL = { messages: 3, endpoints: 2, keys: 2 };
const open = (of = tenant, size = SMALL) => openWorkspace(testEnv, queues, { tenant: of, size });
const stores = () => openStores(testEnv.table);
/** The whole row. A scan gives its attributes, and the members of a set, in any order. */
const rowText = (row: object) =>
  JSON.stringify(
    Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)),
    (_name, value: unknown) => (value instanceof Set ? [...value].sort() : value),
  );
const texts = (rows: readonly object[]): ReadonlySet<string> => new Set(rows.map(rowText));
/** The waits between passes, without those between pages. */
const betweenPasses = (waits: readonly Millis[]) => waits.filter((duration) => duration >= MINUTE);
const rowsNaming = async (slug: TenantId) =>
  (await allRows(testEnv)).filter((row) => new RegExp(`${slug}(?![0-9])`).test(rowText(row)));
const statusOf = async (slug: TenantId) => (await rowsNaming(slug)).map(({ SK, st }) => [SK, st]);

eachFault(
  "deleting a tenant despite a fault (%s) at any call is completed by the next run",
  testEnv,
  async (interrupt, { faultPoint }) => {
    const slug = toTenantId(`struck-${++doomed}`);
    await open(slug);
    const result = await interrupt(() => runDeletion(testEnv, slug));
    if (faultPoint === "lost") expect(result).toMatchObject({ isNew: true });
    expect(await runDeletion(testEnv, slug)).toMatchObject({ deletedBy: "cli" });
    expect(await statusOf(slug)).toEqual([["TENANT", "deleted"]]);
  },
);

// Each run continues what the one before it left, and makes one call more.
it("deleting a tenant that is killed at each call is completed by repeating it, and leaves one row and every other tenant's", async () => {
  const size = {
    messages: repetitions({ whole: 5_000, sample: 60 }),
    endpoints: repetitions({ whole: 20, sample: 4 }),
    keys: repetitions({ whole: 50, sample: 6 }),
  };
  await open(newTenant(), size);
  const before = await allRows(testEnv);
  await open(tenant, size);
  expect((await rowsNaming(tenant)).length).toBeGreaterThan(4 * size.messages);
  const others = before.filter(({ PK }) => !String(PK).startsWith("USR#"));

  let kills = 0;
  for (let calls = 0; ; calls++) {
    const end = injectFaults(testEnv.client, ({ index }) => (index < calls ? "pass" : "crash"));
    const result = await runDeletion(testEnv, tenant).catch((error: Error) => {
      if (error.name !== "Crash") throw error;
      return "killed" as const;
    });
    end();
    if (result !== "killed") {
      expect(result).toMatchObject({ isNew: true, deletedBy: "cli" });
      break;
    }
    kills++;
  }
  expect(kills).toBeGreaterThan(20);
  expect(await statusOf(tenant)).toEqual([["TENANT", "deleted"]]);
  const left = texts(await allRows(testEnv));
  expect([...texts(others)].filter((row) => !left.has(row))).toEqual([]);
  // Beside them: the tenant's one row, and its owner, who is a user without a tenant.
  const earlier = texts(before);
  expect([...left].filter((row) => !earlier.has(row))).toHaveLength(3);
});

it("deleting a tenant whose responses are lost is completed in one run", async () => {
  await open();
  const end = injectFaults(testEnv.client, ({ index }) => (index % 2 === 0 ? "lost" : "pass"));
  expect(await runDeletion(testEnv, tenant)).toMatchObject({ isNew: true });
  end();
  expect(await statusOf(tenant)).toEqual([["TENANT", "deleted"]]);
});

it("deleting a tenant refuses its keys and its members while the rest is removed, and leaves an operator key its other tenants", async () => {
  const other = newTenant();
  const { secrets, ownerId } = await open();
  await open(other);
  const settings = { scope: "live", label: "", author: { actor: "cli" } } as const;
  const operator = await createOperatorKey(testEnv.apiPorts(queues), [tenant, other], settings, testEnv.now());
  const callerWith = (secret: string) => authenticate(testEnv.apiPorts(queues), `Bearer ${secret}`, testEnv.now());
  const checks: unknown[] = [];
  await runDeletion(testEnv, tenant, async () => {
    for (const secret of secrets) checks.push(await callerWith(secret));
    checks.push((await stores().users.readSession(ownerId))?.memberships);
    checks.push(await callerWith(operator.secret));
  });
  const refused = expect.objectContaining({ refused: "unauthorized" });
  expect(checks.slice(0, 4)).toEqual([refused, refused, [], expect.objectContaining({ tenants: [other] })]);
  expect(await rowsNaming(tenant)).toHaveLength(1);
});

it("deleting a tenant makes nothing new for the tenant from its first write on", async () => {
  const { account } = await open();
  const team = openTeamEnv(testEnv);
  const ownerId = await team.newMember(tenant, "owner");
  const now = testEnv.now();
  // The run dies right after the first write, which follows a read: keys, members and data exist.
  const end = injectFaults(testEnv.client, ({ index }) => (index < 2 ? "pass" : "crash"));
  await expect(runDeletion(testEnv, tenant)).rejects.toThrow("crashed");
  end();
  const ports = { ...testEnv.apiPorts(queues), ...stores(), addressKeys: testEnv.addressKeys };
  const settings = { scope: "live", label: "", author: { actor: "cli" } } as const;
  expect(await createKey(ports, tenant, settings, now)).toEqual({ refused: "unauthorized" });
  await expect(createOperatorKey(ports, [tenant], settings, now)).rejects.toThrow("is being deleted");
  await expect(testEnv.connect(tenant)).rejects.toThrow("is being deleted");
  for (const status of ["active", "suspended"] as const)
    expect(await setTenantStatus(ports, tenant, { status, author: { actor: "cli" } }, now)).toBe("not_found");
  expect(await createTenant(ports, tenant, { name: "Shop", ownerEmail: null, author: { actor: "cli" } }, now)).toBe(
    false,
  );
  expect(await stores().tenants.get(tenant)).toBeNull();
  expect(await stores().tenants.list([tenant])).toEqual([]);
  const audit = { action: "invite.create", resource: "-", actor: "cli", ip: null, detail: {}, at: now } as const;
  expect(await stores().tenants.change(tenant, { name: "Other" }, { audit, actor: null })).toBe("unchanged");
  const invited = await team.newMember(tenant, "agent");
  expect((await stores().users.readSession(invited))?.memberships).toEqual([]);
  expect((await stores().users.readSession(ownerId))?.memberships).toHaveLength(1);
  await runDeletion(testEnv, tenant);
  expect(await rowsNaming(tenant)).toHaveLength(1);
  expect(await stores().accounts.getRoute(account)).toBeNull();
});

it("deleting a tenant waits after each pass for the longest run of a worker, until a pass finds nothing", async () => {
  const { conversation, account } = await open();
  const waits: Millis[] = [];
  await runDeletion(testEnv, tenant, async (duration) => {
    waits.push(duration);
    if (betweenPasses([duration]).length === 0 || betweenPasses(waits).length > 2) return;
    // A worker that read the account's route before it was removed.
    const participant = { id: "late", handle: null, username: null, name: null };
    const late = { id: `${tenant} late ${waits.length}`, conversationId: conversation, account, participant };
    const message = sampleMessage(tenant, { ...late, sentAt: testEnv.now() });
    await stores().messages.record(tenant, message, testEnv.now(), 1);
    await stores().counters.add(tenant, sampleCounts({ sent: 1 }), testEnv.now());
  });
  expect(betweenPasses(waits)).toEqual([3 * MINUTE, 3 * MINUTE, 3 * MINUTE]);
  expect(await rowsNaming(tenant)).toHaveLength(1);
});

it("deleting a tenant waits also when an earlier run removed everything, which may have ended a moment ago", async () => {
  await open();
  const end = injectFaults(testEnv.client, ({ command, input }) =>
    command === "PutItem" && JSON.stringify(input).includes("deleted") ? "crash" : "pass",
  );
  await expect(runDeletion(testEnv, tenant)).rejects.toThrow("crashed");
  end();
  const waits: Millis[] = [];
  await runDeletion(testEnv, tenant, (duration) => void waits.push(duration));
  expect(betweenPasses(waits)).toEqual([3 * MINUTE]);
});

it("deleting a tenant keeps the slug taken for 30 days, also when the time to live deletes the row late, and then gives it away", async () => {
  await open();
  const ports = { ...stores(), addressKeys: testEnv.addressKeys };
  const create = () =>
    createTenant(ports, tenant, { name: "New", ownerEmail: null, author: { actor: "cli" } }, testEnv.now());
  const result = await runDeletion(testEnv, tenant);
  expect(result).toMatchObject({ deletedAt: testEnv.now(), isNew: true });
  testEnv.advance(30 * DAY - MINUTE);
  expect(await create()).toBe(false);
  expect(await runDeletion(testEnv, tenant)).toEqual({ ...result, isNew: false, status: "deleted" });
  testEnv.advance(2 * MINUTE);
  expect(await runDeletion(testEnv, tenant)).toBeNull();
  expect(await create()).toBe(true);
  expect(await stores().tenants.get(tenant)).toMatchObject({ name: "New", status: "active" });
});

it("deleting a tenant does not bring a deleted tenant back to an operator key whose lookup row is moved at the same time", async () => {
  const other = newTenant();
  await open();
  await open(other);
  const settings = { scope: "live", label: "", author: { actor: "cli" } } as const;
  await createOperatorKey(testEnv.apiPorts(queues), [tenant, other], settings, testEnv.now());
  const [listed] = (await stores().apiKeys.list(null)).filter(({ tenants }) => tenants.includes(tenant));
  if (!listed) throw new Error("The key is not listed.");
  // A request has read the key, and continues when the tenant is gone from it.
  const key = await stores().apiKeys.getByHash(listed.hash);
  if (!key) throw new Error("The key has no lookup row.");
  await runDeletion(testEnv, tenant);
  expect(await stores().apiKeys.moveLookup(key, listed.hash, { hash: "new", kid: "kid" })).toBe(false);
  expect(await rowsNaming(tenant)).toHaveLength(1);
});

it("deleting a tenant that does not exist is refused", async () => {
  expect(await runDeletion(testEnv, newTenant())).toBeNull();
});
