import { expect, it } from "vitest";
import { HOUR } from "#base/kernel/time.ts";
import { checkAccountHealth } from "#features/accounts/flows/health-checks/check.ts";
import { checkTimeAfter } from "#features/accounts/rules/accounts.ts";
import { authorizationAttributes } from "#features/accounts/store/attributes.ts";
import { allRows } from "../../../../support/flows/data-subject.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { interceptCalls } from "../../../../support/processes/port-calls.ts";
import { openCheckFixture } from "./support/check-fixture.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openCheckFixture(testEnv));

it("an account that is gone has no check any more, and its logins expire", async () => {
  await fixture.disconnect();
  await fixture.passToCheck();
  expect(await fixture.readCheck()).toBeNull();
  expect(fixture.calls).toEqual([]);
  expect(await readLogin()).toHaveProperty(authorizationAttributes.ttl);
});

it("an account that is connected while a check finds it gone keeps its next check and its login", async () => {
  const { tenant, account, newPorts } = fixture;
  await fixture.disconnect();
  let accountRead: Promise<unknown> = Promise.resolve();
  const ports = interceptCalls(newPorts(), async (name, call) => {
    if (name === "accountChecks.get") {
      await accountRead;
      await fixture.link();
    }
    const answer = call();
    if (name === "accounts.getHealth") accountRead = answer;
    return answer;
  });
  await checkAccountHealth(ports, { tenant, account }, testEnv.now());
  expect(await fixture.readCheck()).toMatchObject({ connectionId: (await fixture.read()).connectionId });
  expect(await readLogin()).not.toHaveProperty(authorizationAttributes.ttl);
});

it("an account without a next check gets one by a check of any reason", async () => {
  const { tenant, account, stores } = fixture;
  const check = await fixture.readCheck();
  if (!check) throw new Error("The account has no check.");
  await stores.accountChecks.remove(check);
  await fixture.checkNow();
  const { connectionId } = await fixture.read();
  expect(await fixture.readCheck()).toEqual({
    tenant,
    account,
    connectionId,
    authorizedBy: [`user-of-${tenant}`],
    formerLogins: [],
    dueAt: checkTimeAfter(account, testEnv.now()),
    subscribedAt: testEnv.now(),
    heldSince: null,
    backfill: null,
    picture: null,
  });
});

it("an account that has a new next check keeps it when a check found none", async () => {
  const { tenant, account, newPorts } = fixture;
  const ports = newPorts();
  const accountChecks = { ...ports.accountChecks, get: async () => null };
  const check = await fixture.readCheck();
  testEnv.advance(HOUR);
  await checkAccountHealth({ ...ports, accountChecks }, { tenant, account }, testEnv.now());
  expect(await fixture.readCheck()).toEqual(check);
});

/** The row of the login that connected the account. */
async function readLogin(): Promise<unknown> {
  return (await allRows(testEnv)).find(({ PK }) => PK === `AU#user-of-${fixture.tenant}`);
}
