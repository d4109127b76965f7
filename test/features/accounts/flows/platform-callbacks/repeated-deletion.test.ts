import { expect, it } from "vitest";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { deleteData } from "#features/accounts/flows/platform-callbacks/delete-data.ts";
import { readDataDeletion } from "#features/accounts/flows/platform-callbacks/read-deletion.ts";
import { allRows } from "../../../../support/flows/data-subject.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import type { LoginFixture } from "./support/login-fixture.ts";
import { useLogins } from "./support/use-logins.ts";

// Data deletions that come, or come again, after the person connected the account again.

let testEnv: TestEnv;
let fixture: LoginFixture;
/** The two ids of a person who logs in with Instagram. */
let [user, otherId] = ["", ""];
useLogins((opened) => {
  ({ testEnv, fixture, user, otherId } = opened);
});

const read = (code: string) => readDataDeletion(fixture.ports(), code, testEnv.now());

const requestOf = (issuedAt: number) =>
  deleteData(fixture.ports(), { platformUserId: user, now: testEnv.now(), issuedAt });

it.each([
  ["is connected", false],
  ["was disconnected again", true],
])(
  "a data deletion that comes after its account was connected again erases what is older than the request, and nothing newer, where the account %s",
  async (_name, isGone) => {
    const account = await fixture.connect("one", [user, otherId]);
    await fixture.receive(account, "old");
    await fixture.receive(account, "both");
    const issuedAt = testEnv.now();
    testEnv.advance(3 * MINUTE);
    await fixture.connect("one", [user, otherId]);
    await fixture.receive(account, "new");
    await fixture.receive(account, "both");
    if (isGone) await fixture.disconnect(account);
    const code = await requestOf(issuedAt);
    await fixture.settle();
    expect(await read(code)).toMatchObject({ status: "done", requestedAt: issuedAt });
    const both = fixture.conversation(account, "both");
    expect((await fixture.inbox()).toSorted()).toEqual([fixture.conversation(account, "new"), both].toSorted());
    // Of a conversation that goes on, what is older is erased, too.
    const messages = (await allRows(testEnv)).filter(({ PK, SK }) => PK === both && String(SK).startsWith("M#"));
    expect(messages.map(({ SK }) => Number(String(SK).split("#")[1]) > issuedAt)).toEqual([true]);
    expect((await fixture.stores.accounts.get(fixture.tenant, account)) === null).toBe(isGone);
    expect(await fixture.stores.authorizations.list(user)).toHaveLength(1);
    expect(await fixture.stores.authorizations.list(otherId)).toHaveLength(1);
  },
);

it("a data deletion that comes after its account was connected again erases nothing when it is repeated, and has the same code", async () => {
  const account = await fixture.connect("one", [user]);
  await fixture.receive(account, "100");
  const issuedAt = testEnv.now();
  const code = await requestOf(issuedAt);
  await fixture.settle();
  const deletion = await read(code);
  testEnv.advance(3 * MINUTE);
  await fixture.connect("one", [user]);
  await fixture.receive(account, "100");
  expect(await requestOf(issuedAt)).toBe(code);
  expect(await requestOf(issuedAt - SECOND)).toBe(code);
  await fixture.settle();
  expect(await read(code)).toEqual(deletion);
  expect(await fixture.inbox()).toEqual([fixture.conversation(account, "100")]);
  expect(await fixture.stores.accounts.get(fixture.tenant, account)).not.toBeNull();
  const actions = await fixture.auditActions();
  expect(actions.filter((action) => action === "platform.data_deletion")).toHaveLength(1);
  testEnv.advance(SECOND);
  expect(await requestOf(testEnv.now())).toBe(code);
  await fixture.settle();
  expect(await fixture.inbox()).toEqual([]);
});

it("a data deletion that comes after its account was connected again continues when it is repeated while it is running", async () => {
  const account = await fixture.connect("one", [user]);
  await fixture.receive(account, "100");
  const issuedAt = testEnv.now();
  const code = await requestOf(issuedAt);
  await fixture.runTasks();
  testEnv.advance(MINUTE);
  await fixture.runTasks();
  await fixture.loseTasks();
  const before = await fixture.stores.dataDeletions.getAccount({ code, tenant: fixture.tenant, account });
  await requestOf(issuedAt);
  const after = await fixture.stores.dataDeletions.getAccount({ code, tenant: fixture.tenant, account });
  expect(after).toEqual({ ...before, dueAt: testEnv.now() + 30 * SECOND });
  await fixture.settle();
  expect(await read(code)).toMatchObject({ status: "done", requestedAt: issuedAt });
  expect(await fixture.rowsNaming(user)).toEqual([]);
});

// The table removes an expired row days after its end.
it("a data deletion can be read for 400 days, and its row stands for nothing after that", async () => {
  const request = () => deleteData(fixture.ports(), { platformUserId: "17841400009917", now: testEnv.now() });
  const code = await request();
  const first = { code, status: "done", requestedAt: testEnv.now(), doneAt: testEnv.now() };
  testEnv.advance(400 * DAY - 1_000);
  expect(await read(code)).toEqual(first);
  testEnv.advance(2_000);
  expect(await read(code)).toBeNull();
  expect(await request()).toBe(code);
  expect(await read(code)).toEqual({ ...first, requestedAt: testEnv.now(), doneAt: testEnv.now() });
});
