import { describe, expect, inject, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { openSimulatedAccount, openTestPlatforms, type SimulatedAccount } from "../support/simulated-account.ts";

// What each refusal of a send says of the account, and how the account comes back. The simulated platforms answer.

const testEnv = openedOnce(openTestEnv);
const platforms = openedOnce(() => openTestPlatforms(testEnv));

const connections: readonly Connection[] = ["instagram_login", "instagram_page", "messenger"];

/** `code` or `code/subcode`, as the fault of the simulator. */
function toFault(error: string) {
  const [code, subcode] = error.split("/").map(Number);
  return { mode: "error", code, ...(subcode ? { subcode } : {}) };
}

/** An account to which a person wrote, and whose earlier events were read. */
async function open(connection: Connection): Promise<SimulatedAccount> {
  const opened = await openSimulatedAccount(testEnv, platforms, connection);
  await opened.write();
  await opened.takeEvents();
  return opened;
}

async function expectActive(account: SimulatedAccount): Promise<void> {
  expect(await account.read()).toMatchObject({
    status: "active",
    statusDetail: null,
    retryAt: null,
    refreshError: null,
  });
  await account.write();
  expect(await account.reply()).toMatchObject({ result: { messageId: expect.any(String) }, isCalled: true });
  await account.takeEvents();
}

/** `npm test` runs each row with one connection, in turn. `npm run test:full` runs it with each. */
const connectionsOf = (index: number): readonly Connection[] =>
  inject("fullRun") ? connections : connections.slice(index % connections.length).slice(0, 1);
const withConnections = (errors: readonly string[]) =>
  errors.flatMap((error, index) => connectionsOf(index).map((connection) => [error, connection] as const));

describe("a restriction", () => {
  const errors = ["10/1893063", "100/2534029", "2022", "368"];

  async function restrict(error: string, connection: Connection) {
    const account = await open(connection);
    await account.fault({ ...toFault(error), for: 1 });
    const { result } = await account.reply();
    expect(result).toMatchObject({ refused: "send_failed", detail: expect.stringContaining("(#") });
    await account.work();
    const { detail } = result as { detail: string };
    expect(await account.read()).toMatchObject({ status: "restricted", statusDetail: detail, refreshError: null });
    expect(await account.reply()).toMatchObject({ result: { refused: "account_restricted" }, isCalled: false });
    expect(await account.takeAccountEvents()).toEqual(["account.restricted"]);
    expect(await account.mails()).toEqual([]);
    return account;
  }

  it.each(withConnections(errors))("%s of %s ends with the check after its hour", async (error, connection) => {
    const account = await restrict(error, connection);
    const { retryAt } = await account.read();
    // The daily check of an account whose wait is not over asks nothing.
    while (testEnv.now() < (retryAt ?? 0)) await account.passToCheck();
    expect(await account.takeAccountEvents()).toEqual(["account.recovered"]);
    await expectActive(account);
  });

  // Instagram Login has no webhooks about policy.
  it.each(["instagram_page", "messenger"] as const)(
    "a restriction of %s ends with the platform's unblock",
    async (connection) => {
      const account = await restrict("368", connection);
      await platforms.advance(MINUTE);
      await account.control("/policy", { action: "unblock" });
      await account.ingest();
      expect(await account.takeAccountEvents()).toEqual(["account.recovered"]);
      await expectActive(account);
    },
  );

  it.each(withConnections(errors))("%s of %s ends with a new login", async (error, connection) => {
    const account = await restrict(error, connection);
    await account.connect();
    expect(await account.takeAccountEvents()).toEqual(["account.reconnected"]);
    await expectActive(account);
  });
});

describe("a missing permission", () => {
  const errors = ["10", "200", "3", "200/1234567", "10/2534077", "100/2534013", "200/2534041"];

  it.each(withConnections(errors))(
    "%s of %s is needs_reauth, until a check finds that it is back or a person logs in",
    async (error, connection) => {
      const account = await open(connection);
      await account.fault({ ...toFault(error), on: "calls" });
      const { result } = await account.reply();
      expect(result).toMatchObject({ refused: "send_failed" });
      await account.work();
      const needsReauth = { status: "needs_reauth", statusDetail: (result as { detail: string }).detail };
      expect(await account.read()).toMatchObject({ ...needsReauth, refreshError: null });
      expect(await account.reply()).toMatchObject({ result: { refused: "account_needs_reauth" }, isCalled: false });
      await account.passToCheck();
      expect(await account.read()).toMatchObject(needsReauth);
      expect(await account.takeAccountEvents()).toEqual(["account.needs_reauth"]);
      expect(await account.mails()).toHaveLength(1);
      await account.fault({ mode: "none" });
      await account.passToCheck();
      expect(await account.takeAccountEvents()).toEqual(["account.recovered"]);
      await expectActive(account);

      await account.fault({ ...toFault(error), on: "calls" });
      await account.reply();
      await account.work();
      expect(await account.read()).toMatchObject(needsReauth);
      await account.fault({ mode: "none" });
      await account.connect();
      expect(await account.takeAccountEvents()).toEqual(["account.needs_reauth", "account.reconnected"]);
      await expectActive(account);
    },
  );

  it.each(withConnections(errors))(
    "%s of %s that was wrong is taken back at once, without a mail",
    async (error, connection) => {
      const account = await open(connection);
      await account.fault({ ...toFault(error), for: 1 });
      await account.reply();
      await account.work();
      expect(await account.takeAccountEvents()).toEqual(["account.needs_reauth", "account.recovered"]);
      expect(await account.mails()).toEqual([]);
      await expectActive(account);
    },
  );
});

describe("a token that ended", () => {
  const endings = [
    ["190/458", "remove_app"],
    ["190/459", "checkpoint"],
    ["190/460", "revoke"],
    ["190/463", "expire"],
    ["190/464", null],
    ["190/467", null],
    ["190", null],
  ] as const;
  const rows = endings.flatMap(([error, action], index) =>
    connectionsOf(index).map((connection) => [error, connection, action] as const),
  );

  it.each(rows)(
    "%s of %s is needs_reauth, until the token works again or a person logs in",
    async (error, connection, action) => {
      const account = await open(connection);
      const end = () =>
        action === null ? account.fault({ ...toFault(error), on: "calls" }) : account.control("/tokens", { action });
      const restore = () =>
        action === null ? account.fault({ mode: "none" }) : account.control("/tokens", { action: "restore" });
      await end();
      const { result } = await account.reply();
      expect(result).toMatchObject({ refused: "send_failed" });
      await account.work();
      const needsReauth = { status: "needs_reauth", statusDetail: (result as { detail: string }).detail };
      expect(await account.read()).toMatchObject({ ...needsReauth, refreshError: null });
      expect(await account.reply()).toMatchObject({ result: { refused: "account_needs_reauth" }, isCalled: false });
      await account.passToCheck();
      expect(await account.takeAccountEvents()).toEqual(["account.needs_reauth"]);
      expect(await account.mails()).toHaveLength(1);
      await restore();
      await account.passToCheck();
      expect(await account.takeAccountEvents()).toEqual(["account.recovered"]);
      await expectActive(account);

      await end();
      await account.reply();
      await account.work();
      expect(await account.mails()).toHaveLength(2);
      await restore();
      await account.connect();
      expect(await account.takeAccountEvents()).toEqual(["account.needs_reauth", "account.reconnected"]);
      await expectActive(account);
      expect(await account.mails()).toHaveLength(2);
    },
  );
});

it.each(withConnections(["4", "17", "32", "613", "613/2534040", "80001", "80002", "80006"]))(
  "too many calls (%s) of %s pause the account and leave its status",
  async (error, connection) => {
    const account = await open(connection);
    await account.fault({ ...toFault(error), for: 1 });
    expect(await account.reply()).toMatchObject({ result: { refused: "send_failed" }, isCalled: true });
    expect(await account.reply()).toMatchObject({ result: { refused: "slowed_down" }, isCalled: false });
    expect(await account.waitingTasks()).toBe(0);
    expect(await account.takeAccountEvents()).toEqual([]);
    await platforms.advance(MINUTE);
    await expectActive(account);
  },
);

const others = [
  "10/2018278",
  "10/2534022",
  "10/2018065",
  "10/1545041",
  "10/2018108",
  "551",
  "551/1545041",
  "200/1545041",
  "200/2018028",
  "200/2018027",
  "200/2018021",
  "230",
  "100",
  "100/2018001",
  "100/2534014",
  "100/33",
  "100/1893061",
  "2018300",
  "100/2534037",
  "613/2018338",
  "1",
  "2",
  "1200",
  "9000001",
  "36103",
];
it.each(withConnections(others))("%s of %s says nothing of the account", async (error, connection) => {
  const account = await open(connection);
  await account.fault({ ...toFault(error), for: 1 });
  const refused = ["1", "2", "1200"].includes(error) ? "outcome_unknown" : "send_failed";
  expect(await account.reply()).toMatchObject({ result: { refused }, isCalled: true });
  expect(await account.waitingTasks()).toBe(0);
  expect(await account.takeAccountEvents()).toEqual([]);
  await expectActive(account);
});

it("a restriction of the account itself lasts for its time, although reads are answered", async () => {
  const account = await open("instagram_login");
  await account.control("/restrictions", { minutes: 5 * 60 });
  await account.reply();
  await account.work();
  await account.passToCheck();
  expect(await account.takeAccountEvents()).toEqual(["account.restricted", "account.recovered"]);
  await account.write();
  expect(await account.reply()).toMatchObject({ result: { refused: "send_failed" }, isCalled: true });
  await account.work();
  const { retryAt } = await account.read();
  expect(retryAt).toBe(testEnv.now() - SECOND + 2 * HOUR);
  await platforms.advance(DAY);
  await account.passToCheck();
  expect(await account.takeAccountEvents()).toEqual(["account.restricted", "account.recovered"]);
  await expectActive(account);
});

describe("messages of people are stored and published while an account is", () => {
  const causes = {
    active: null,
    restricted: () => ({ ...toFault("10/1893063"), for: 1 }),
    needs_reauth: () => ({ ...toFault("200"), on: "calls" }),
  } as const;

  it.each(withConnections(Object.keys(causes)))(
    "%s (%s), and are there when a person logged in again",
    async (status, connection) => {
      const account = await open(connection);
      const fault = causes[status as keyof typeof causes];
      if (fault) {
        await account.fault(fault());
        await account.reply();
        await account.work();
        await account.takeEvents();
      }
      await expectInbound(account, status);
    },
  );

  it("refresh_failing, and are there when a person logged in again", async () => {
    const account = await open("instagram_login");
    await platforms.advance(31 * DAY);
    await account.write();
    await account.takeEvents();
    await account.fault({ mode: "error", code: 100, on: "accounts" });
    await account.passToCheck();
    await account.fault({ mode: "none" });
    expect(await account.takeAccountEvents()).toEqual(["account.refresh_failing"]);
    expect(await account.mails()).toHaveLength(1);
    await expectInbound(account, "refresh_failing");
  });

  async function expectInbound(account: SimulatedAccount, status: string): Promise<void> {
    expect((await account.read()).status).toBe(status);
    await account.write("Are you there?");
    expect(await account.takeEvents()).toMatchObject([
      { type: "message.received", data: { message: { text: "Are you there?" } } },
    ]);
    expect((await account.read()).status).toBe(status);
    await account.fault({ mode: "none" });
    await account.connect();
    expect(await account.takeAccountEvents()).toEqual(["account.reconnected"]);
    expect(await account.texts()).toEqual(expect.arrayContaining(["Hello", "Are you there?"]));
    await expectActive(account);
  }
});
