import { QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { DAY, SECOND } from "#base/kernel/time.ts";
import { listOperatorKeys, revokeOperatorKey } from "#features/access/flows/key-lists.ts";
import { type CreatedKey, createKey as create, createOperatorKey } from "#features/access/flows/keys.ts";
import { changeMemberRole, removeMember } from "#features/access/flows/team/members.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { eachFault } from "../../../support/flows/fault-injection.ts";
import { newTenant } from "../../../support/stores/samples.ts";
import { settings, unauthorized, useKeyFixture } from "./support/key-fixture.ts";
import { openTeamEnv } from "./team/support/team.ts";

const {
  activeIds,
  audits,
  callerFor,
  callerWith,
  createNewTenant,
  expectExactCount,
  list,
  newKey,
  openTenant,
  ports,
  revoke,
  tenant,
  testEnv,
} = useKeyFixture();

it("a tenant's keys are listed oldest first, without a secret, and without those of others", async () => {
  const first = await newKey();
  testEnv.advance(SECOND);
  const second = await newKey("test");
  await newKey("live", await createNewTenant());
  await createOperatorKey(ports(), [tenant()], settings, testEnv.now());
  const keys = await list();
  expect(keys).toMatchObject([
    { id: first.id, prefix: first.prefix, scope: "live", status: "active", lastUsedAt: null },
    { id: second.id, prefix: second.prefix, scope: "test", status: "active", lastUsedAt: null },
  ]);
  expect(JSON.stringify(keys)).not.toContain(first.secret.slice(14));
});

it("a tenant's keys are at most 50: the next one is refused without a trace, and a revoked one frees its place once", async () => {
  const keys: CreatedKey[] = [];
  for (let n = 0; n < 50; n++) keys.push(await newKey());
  expect(await create(ports(), tenant(), settings, testEnv.now())).toEqual({ refused: "key_limit" });
  expect(await list()).toHaveLength(50);
  expect(await audits("key.create")).toHaveLength(50);
  for (const _ of [1, 2]) expect(await revoke(keys[7]?.id ?? "")).toBeNull();
  await newKey();
  expect(await create(ports(), tenant(), settings, testEnv.now())).toEqual({ refused: "key_limit" });
});

it("a tenant's keys of a tenant that does not exist are neither created nor counted", async () => {
  const unknown = newTenant();
  expect(await create(ports(), unknown, settings, testEnv.now())).toEqual(unauthorized);
  const { Items } = await testEnv.table.client.send(
    new ScanCommand({
      TableName: testEnv.table.name,
      FilterExpression: "contains(PK, :slug)",
      ExpressionAttributeValues: { ":slug": unknown },
    }),
  );
  expect(Items).toEqual([]);
});

it("a tenant's keys get one more when ten requests compete for the last of fifty places", async () => {
  for (let n = 0; n < 49; n++) await newKey();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => create(ports(), tenant(), settings, testEnv.now())),
  );
  expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(1);
  expect(answers.filter(isRefusal)).toEqual(Array(9).fill({ refused: "key_limit" }));
  expect(await activeIds()).toHaveLength(50);
});

it("a tenant's keys are limited while the tenant is suspended, too", async () => {
  await setTenantStatus(ports(), tenant(), { status: "suspended", author: { actor: "cli" } }, testEnv.now());
  const key = await newKey();
  expect(await callerWith(key)).toEqual({ refused: "tenant_suspended" });
  await expectExactCount();
  await setTenantStatus(ports(), tenant(), { status: "active", author: { actor: "cli" } }, testEnv.now());
  expect(await callerWith(key)).toMatchObject({ keyId: key.id });
});

it.each(["removed", "demoted"])(
  "a tenant's keys are not created by a request in progress of an admin who was %s",
  async (change) => {
    const team = openTeamEnv(testEnv);
    const [owner, admin] = [await team.newMember(tenant(), "owner"), await team.newMember(tenant(), "admin")];
    const request = { author: await team.author(admin), scope: "live", label: "" } as const;
    expect(await create(ports(), tenant(), request, testEnv.now())).toHaveProperty("secret");
    const of = { tenant: tenant(), userId: admin, author: await team.author(owner), now: testEnv.now() };
    await (change === "removed"
      ? removeMember(team.ports, of)
      : changeMemberRole(team.ports, { ...of, role: "agent" }));
    expect(await create(ports(), tenant(), request, testEnv.now())).toEqual({ refused: "role_forbidden" });
    await setTenantStatus(ports(), tenant(), { status: "suspended", author: { actor: "cli" } }, testEnv.now());
    expect(await create(ports(), tenant(), request, testEnv.now())).toEqual({ refused: "role_forbidden" });
    expect(await list()).toHaveLength(1);
    expect(await audits("key.create")).toHaveLength(1);
    await expectExactCount();
  },
);

it("a tenant's keys are created live by a live key and the command line only", async () => {
  const by = (scope: "live" | "test") => ({ author: { caller: callerFor(scope), ip: null }, label: "" });
  const mint = (by_: ReturnType<typeof by>, scope: "live" | "test") =>
    create(ports(), tenant(), { ...by_, scope }, testEnv.now());
  expect(await mint(by("test"), "live")).toEqual({ refused: "live_key_required" });
  expect(await list()).toEqual([]);
  expect(await mint(by("test"), "test")).toMatchObject({ scope: "test" });
  expect(await mint(by("live"), "live")).toMatchObject({ scope: "live" });
});

eachFault(
  "a tenant's keys are counted exactly and audited once each, despite a fault (%s) at any call",
  testEnv,
  async (interrupt) => {
    await openTenant();
    const oldKey = await newKey();
    const key = await interrupt(async () => {
      const created = await newKey().catch(() => null);
      await revoke(oldKey.id).catch(() => null);
      return created;
    });
    await revoke(oldKey.id);
    expect(await callerWith(oldKey)).toEqual(unauthorized);
    if (key) expect(await callerWith(key)).toMatchObject({ keyId: key.id });
    expect(await audits("key.revoke")).toHaveLength(1);
    expect((await audits("key.create")).map(({ resource }) => resource).sort()).toEqual(
      (await list()).map(({ id }) => `key:${id}`).sort(),
    );
    await expectExactCount();
  },
);

it("an operator key is listed with its tenants, and revoked with an audit row in each of them", async () => {
  const other = await createNewTenant();
  const key = await createOperatorKey(ports(), [tenant(), other], settings, testEnv.now());
  await callerWith(key);
  const find = async () => (await listOperatorKeys(ports(), testEnv.now())).find(({ id }) => id === key.id);
  expect(await find()).toMatchObject({ tenants: [tenant(), other], status: "active", lastUsedAt: testEnv.now() });
  const revokeIt = () => revokeOperatorKey(ports(), { keyId: key.id, author: { actor: "cli" }, now: testEnv.now() });
  expect([await revokeIt(), await revokeIt()]).toEqual([null, null]);
  expect(await callerWith(key)).toEqual(unauthorized);
  expect(await find()).toMatchObject({ status: "revoked" });
  for (const slug of [tenant(), other]) {
    expect(await audits("operator_key.revoke", slug)).toMatchObject([{ resource: `key:${key.id}`, actor: "cli" }]);
  }
  testEnv.advance(90 * DAY);
  expect(await find()).toBeUndefined();
  expect(await revokeIt()).toEqual({ refused: "key_not_found" });
});

it("an operator key does not count as a key of its tenants, and a tenant's key is no operator key", async () => {
  const bound = await newKey();
  await createOperatorKey(ports(), [tenant()], settings, testEnv.now());
  await expectExactCount();
  const author = { actor: "cli" };
  for (const keyId of [bound.id, "x", newUlid(0)]) {
    expect(await revokeOperatorKey(ports(), { keyId, author, now: testEnv.now() })).toEqual({
      refused: "key_not_found",
    });
  }
  expect(await callerWith(bound)).toMatchObject({ keyId: bound.id });
});

it("no row of the table and no log line contains a secret", async () => {
  const key = await newKey();
  await callerWith(key);
  await revoke(key.id);
  const { Items = [] } = await testEnv.table.client.send(new ScanCommand({ TableName: testEnv.table.name }));
  const everything = JSON.stringify([Items, testEnv.lines]);
  expect(everything).toContain(key.id);
  expect(everything).not.toContain(key.secret.slice(14));
  expect(everything).not.toContain(key.secret.slice(-20));
  const { Items: audit = [] } = await testEnv.table.client.send(
    new QueryCommand({
      TableName: testEnv.table.name,
      KeyConditionExpression: "PK = :a",
      ExpressionAttributeValues: { ":a": `A#${tenant()}` },
    }),
  );
  expect(JSON.stringify(audit)).not.toContain(key.prefix);
});
