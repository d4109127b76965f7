import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import { checkAccountHealth } from "#features/accounts/flows/health-checks/check.ts";
import { accountAttributes as A } from "#features/accounts/store/attributes.ts";
import { accountItemKey } from "#features/accounts/store/items.ts";
import { eventSchema } from "#features/webhooks/event-catalog.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { openCheckFixture, refusedCall } from "./support/check-fixture.ts";

// The token of Instagram Login lives 60 days, and is refreshed without anyone.

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openCheckFixture(testEnv));

const REFUSAL = "(#2) Error validating the token's owner.";
const refuseRefresh = () => {
  fixture.answers.refresh = refusedCall({ detail: REFUSAL });
};
const refusedToken = (detail: string) =>
  refusedCall({ class: "token", accountStatus: "needs_reauth", code: 190, detail });
const passDays = async (days: number) => {
  for (let day = 1; day <= days; day++) await fixture.passToCheck();
};

it("an Instagram token is refreshed in time over sixty days, once or twice, and the account is checked once a day", async () => {
  const connectedAt = testEnv.now();
  for (let day = 1; day <= 60; day++) {
    await fixture.passToCheck();
    const { tokenExpiresAt, lastRefreshedAt } = await fixture.read();
    expect((tokenExpiresAt ?? 0) - testEnv.now()).toBeGreaterThan(20 * DAY);
    expect(testEnv.now() - (lastRefreshedAt ?? 0)).toBeLessThanOrEqual(31 * DAY + HOUR);
  }
  expect(testEnv.now() - connectedAt).toBeLessThan(61 * DAY);
  const refreshes = fixture.calls.filter(({ call }) => call === "refresh");
  expect(refreshes.length).toBeGreaterThanOrEqual(1);
  expect(refreshes.length).toBeLessThanOrEqual(2);
  expect(refreshes.every(({ at }) => at - connectedAt >= 30 * DAY)).toBe(true);
  expect(fixture.calls.filter(({ call }) => call === "readSubscription")).toHaveLength(60);
  expect(await fixture.readToken()).toBe(`token-${refreshes.length}`);
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.mails()).toEqual([]);
});

it("an Instagram token that the platform refuses to refresh is refresh_failing with one event and one mail, and active once it is refreshed", async () => {
  await passDays(29);
  refuseRefresh();
  await passDays(4);
  expect(await fixture.read()).toMatchObject({
    status: "refresh_failing",
    statusDetail: REFUSAL,
    refreshError: REFUSAL,
  });
  expect(fixture.calls.filter(({ call }) => call === "refresh").length).toBeGreaterThanOrEqual(3);
  const [event] = await fixture.eventBodies();
  expect(event).toMatchObject({
    type: "account.refresh_failing",
    data: { account: { status: "refresh_failing" }, reason: "token_invalid" },
  });
  expect(eventSchema("account.refresh_failing").parse(event)).toEqual(event);
  expect(await fixture.mails()).toHaveLength(1);
  expect((await fixture.mails())[0]).toMatchObject({ subject: expect.stringContaining("cannot be extended") });
  delete fixture.answers.refresh;
  await passDays(1);
  expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null, refreshError: null });
  expect(await fixture.events()).toEqual(["account.refresh_failing", "account.recovered"]);
  expect(await fixture.mails()).toHaveLength(1);
});

it("an Instagram token that was refused until its end is dead, with one event and one mail, and is not refreshed any more", async () => {
  refuseRefresh();
  await passDays(31);
  expect(await fixture.events()).toEqual(["account.refresh_failing"]);
  expect(await fixture.mails()).toHaveLength(1);
  await passDays(31);
  expect(await fixture.read()).toMatchObject({
    status: "needs_reauth",
    statusDetail: expect.stringContaining("The access token expired on"),
    refreshError: REFUSAL,
  });
  expect(await fixture.events()).toEqual(["account.refresh_failing", "account.needs_reauth"]);
  expect((await fixture.mails()).map(({ subject }) => subject)).toEqual([
    expect.stringContaining("cannot be extended"),
    expect.stringContaining("again"),
  ]);
  fixture.takeCalls();
  await passDays(3);
  expect(fixture.takeCalls()).toEqual([]);
});

it("an Instagram token that the platform names invalid is dead at once, until a person connects the account again", async () => {
  await passDays(29);
  fixture.answers.refresh = refusedToken("(#190) The session was invalidated.");
  fixture.answers.inspect = {
    kind: "inspected",
    isValid: false,
    detail: "(#190)",
    hasRights: false,
    dataAccessExpiresAt: null,
  };
  await passDays(3);
  const detail = "(#190) The session was invalidated.";
  expect(await fixture.read()).toMatchObject({ status: "needs_reauth", statusDetail: detail, refreshError: detail });
  expect(await fixture.events()).toEqual(["account.needs_reauth"]);
  expect(await fixture.mails()).toHaveLength(1);
  fixture.answers.refresh = { kind: "unknown" };
  testEnv.advance(1);
  await fixture.link();
  expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null, refreshError: null });
  await passDays(2);
  expect(await fixture.read()).toMatchObject({ status: "active" });
});

it("an Instagram token whose refresh had no answer keeps its status, and is tried again the next hour", async () => {
  await passDays(29);
  fixture.answers.refresh = { kind: "unknown" };
  await passDays(1);
  while (fixture.calls.every(({ call }) => call !== "refresh")) await passDays(1);
  expect(await fixture.read()).toMatchObject({
    status: "active",
    statusDetail: null,
    refreshError: "The platform did not answer.",
  });
  const before = fixture.calls.length;
  await fixture.passHour();
  await fixture.passHour();
  // The other steps of the check do not wait for it.
  const calls = ["refresh", "readSubscription", "listThreads"];
  expect(fixture.calls.slice(before).map(({ call }) => call)).toEqual([...calls, ...calls]);
  delete fixture.answers.refresh;
  await fixture.passHour();
  expect(await fixture.read()).toMatchObject({ status: "active", refreshError: null });
  const { length } = fixture.calls;
  await fixture.passHour();
  expect(fixture.calls).toHaveLength(length);
  expect(await fixture.events()).toEqual([]);
});

it.each([
  ["has no answer", { kind: "unknown" } as const, "The platform did not answer."],
  ["fails with an unknown code", { kind: "unknown", detail: "(#2) Try later." } as const, "(#2) Try later."],
  ["cannot reach the platform", refusedCall({ detail: "Not reached.", transient: true }), "Not reached."],
  ["meets a limit of calls", refusedCall({ class: "rate", detail: "(#4) Too many." }), "(#4) Too many."],
])(
  "an Instagram token whose refresh %s is refresh_failing after the second day, with one event and one mail",
  async (_, answer, detail) => {
    await passDays(29);
    fixture.answers.refresh = answer;
    while (fixture.calls.every(({ call }) => call !== "refresh")) await passDays(1);
    for (let hour = 0; hour < 22; hour++) await fixture.passHour();
    expect(await fixture.read()).toMatchObject({ status: "active", refreshError: detail });
    for (let hour = 0; hour < 54; hour++) await fixture.passHour();
    const failing = { status: "refresh_failing", statusDetail: detail, refreshError: detail };
    expect(await fixture.read()).toMatchObject(failing);
    expect(await fixture.events()).toEqual(["account.refresh_failing"]);
    expect(await fixture.mails()).toHaveLength(1);
    delete fixture.answers.refresh;
    await fixture.passHour();
    expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null, refreshError: null });
    expect(await fixture.events()).toEqual(["account.refresh_failing", "account.recovered"]);
  },
);

it("an Instagram token whose first refresh is late is refresh_failing two days after its first failure, and not before", async () => {
  await passDays(29);
  testEnv.advance(5 * DAY);
  fixture.answers.refresh = { kind: "unknown" };
  for (let hour = 0; hour < 48; hour++) await fixture.passHour();
  expect(fixture.calls.filter(({ call }) => call === "refresh")).toHaveLength(48);
  expect(await fixture.read()).toMatchObject({ status: "active", refreshError: "The platform did not answer." });
  expect(await fixture.events()).toEqual([]);
  await fixture.passHour();
  expect(await fixture.read()).toMatchObject({ status: "refresh_failing" });
});

it("an Instagram token whose refresh failed once, then succeeded, begins its two days again", async () => {
  await passDays(29);
  fixture.answers.refresh = { kind: "unknown" };
  while (fixture.calls.every(({ call }) => call !== "refresh")) await passDays(1);
  delete fixture.answers.refresh;
  await fixture.passHour();
  testEnv.advance(31 * DAY);
  fixture.answers.refresh = { kind: "unknown" };
  for (let hour = 0; hour < 48; hour++) await fixture.passHour();
  expect(await fixture.read()).toMatchObject({ status: "active", refreshError: "The platform did not answer." });
  await fixture.passHour();
  expect(await fixture.events()).toEqual(["account.refresh_failing"]);
});

it("an Instagram token that a worker of an earlier release refreshed, which leaves the time of the failure, begins its two days again", async () => {
  await passDays(29);
  testEnv.advance(2 * DAY);
  fixture.answers.refresh = { kind: "unknown" };
  await fixture.passHour();
  const Key = accountItemKey(fixture.tenant, fixture.account);
  const { client, name: TableName } = testEnv.table;
  await client.send(new UpdateCommand({ TableName, Key, UpdateExpression: `REMOVE ${A.refreshError}` }));
  testEnv.advance(3 * DAY);
  await fixture.passHour();
  expect(await fixture.read()).toMatchObject({ status: "active", refreshError: "The platform did not answer." });
  await fixture.passHour();
  expect(await fixture.read()).toMatchObject({ status: "active" });
});

it("an Instagram token that another check refreshed is not refresh_failing by a check that had no answer at the same time", async () => {
  await passDays(29);
  testEnv.advance(2 * DAY);
  fixture.answers.refresh = { kind: "unknown" };
  for (let hour = 0; hour < 48; hour++) await fixture.passHour();
  testEnv.advance(HOUR);
  const { tenant, account } = fixture;
  const check = () => checkAccountHealth(fixture.newPorts(), { tenant, account }, testEnv.now());
  fixture.setOnCall(async (call) => {
    if (call !== "refresh") return;
    fixture.setOnCall(() => {});
    delete fixture.answers.refresh;
    await check();
    fixture.answers.refresh = { kind: "unknown" };
  });
  await check();
  expect(await fixture.readToken()).toBe("token-1");
  expect(await fixture.read()).toMatchObject({ status: "active", statusDetail: null, refreshError: null });
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.mails()).toEqual([]);
});

it("an Instagram token that was refreshed replaces only the token that was read, and none of a later connection", async () => {
  await passDays(29);
  const connectionId = newUlid(testEnv.now() + MINUTE);
  fixture.setOnCall(async (call) => {
    if (call === "refresh") await fixture.link({ connectionId });
  });
  while (fixture.calls.every(({ call }) => call !== "refresh")) await passDays(1);
  fixture.setOnCall(() => {});
  expect(await fixture.readToken()).toBe("token-0");
  const { connectionId: storedId, status } = await fixture.read();
  expect([storedId, status]).toEqual([connectionId, "active"]);
  expect((await fixture.readCheck())?.connectionId).toBe(connectionId);
});
