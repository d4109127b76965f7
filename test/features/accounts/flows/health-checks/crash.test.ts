import { expect, it } from "vitest";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { done } from "#base/queues/record-outcome.ts";
import { checkAccountHealth } from "#features/accounts/flows/health-checks/check.ts";
import { accountsWorker } from "../../../../../functions/accounts/worker.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../../../support/flows/fault-injection.ts";
import type { QueueWorker } from "../../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { type CheckFixture, openCheckFixture } from "./support/check-fixture.ts";

const testEnv = openedOnce(openTestEnv);

const dead = {
  kind: "inspected",
  isValid: false,
  detail: "(#190)",
  hasRights: false,
  dataAccessExpiresAt: null,
} as const;

it.each(faultPoints)("a dead token is published once and mailed despite a fault (%s) at any call", async (point) => {
  for (let index = firstFault(point); ; index += FAULT_STEP) {
    const fixture = await openCheckFixture(testEnv, "messenger");
    fixture.answers.inspect = dead;
    const fault = injectFaultAt(testEnv.clients, point, index);
    const worker = fault.crashable(fixture.newWorker());
    await fixture.checkNow(worker).catch(() => {});
    fault.remove();
    for (let minute = 0; minute < 5; minute++) {
      testEnv.advance(MINUTE);
      await fixture.work();
    }
    expect(await fixture.read()).toMatchObject({ status: "needs_reauth" });
    expect(await fixture.events()).toEqual(["account.needs_reauth"]);
    // Only a process that dies after the mail, and before its notice is removed, has it sent twice.
    expect((await fixture.mails()).length).toBeGreaterThanOrEqual(1);
    expect((await fixture.mails()).length).toBeLessThanOrEqual(fault.reached() ? 2 : 1);
    if (!fault.reached()) break;
  }
});

const open = async () => {
  const fixture = await openCheckFixture(testEnv);
  testEnv.advance(31 * DAY);
  return fixture;
};
/** The message comes again until a check succeeds. */
const retry = async (fixture: CheckFixture) => {
  testEnv.advance(MINUTE);
  await fixture.work();
};

/** @param issued how many tokens the platform issued */
async function expectRefreshed(fixture: CheckFixture, issued?: number): Promise<void> {
  const refreshes = fixture.calls.filter(({ call }) => call === "refresh");
  // One call too many at most.
  expect(refreshes.length).toBeLessThanOrEqual(2);
  const { status, refreshError, lastRefreshedAt, tokenExpiresAt } = await fixture.read();
  expect({ status, refreshError }).toEqual({ status: "active", refreshError: null });
  expect(lastRefreshedAt).toBeGreaterThanOrEqual(testEnv.now() - 2 * MINUTE);
  expect(tokenExpiresAt).toBe((lastRefreshedAt ?? 0) + 60 * DAY);
  const token = `token-${issued ?? refreshes.length}`;
  expect(await fixture.readToken()).toBe(token);
  // The next reads use the stored token.
  expect(fixture.calls.findLast(({ call }) => call === "readSubscription")).toMatchObject({ token });
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.mails()).toEqual([]);
  expect((await fixture.readCheck())?.dueAt).toBeGreaterThan(testEnv.now());
}

it.each(faultPoints)(
  "a refresh of the token stores the newest token despite a fault (%s) at any call to AWS",
  async (point) => {
    let outcomes = 0;
    for (let index = firstFault(point); ; index += FAULT_STEP) {
      const fixture = await open();
      const fault = injectFaultAt(testEnv.clients, point, index);
      await fixture.checkNow(fault.crashable(fixture.newWorker())).catch(() => {});
      fault.remove();
      await retry(fixture);
      await expectRefreshed(fixture);
      if (!fault.reached()) break;
      outcomes++;
    }
    expect(outcomes * FAULT_STEP).toBeGreaterThanOrEqual(6);
  },
);

it("a refresh of the token stores the newest token if its process dies at the call to the platform", async () => {
  const fixture = await open();
  fixture.setOnCall(() => {
    throw new Error("died");
  });
  await fixture.checkNow().catch(() => {});
  fixture.setOnCall(() => {});
  await retry(fixture);
  await expectRefreshed(fixture, 1);
});

it("a refresh of the token is repeated the next hour if its answer is lost", async () => {
  const fixture = await open();
  fixture.answers.refresh = { kind: "unknown" };
  await fixture.passHour();
  expect(await fixture.read()).toMatchObject({ status: "active", refreshError: "The platform did not answer." });
  delete fixture.answers.refresh;
  await fixture.enqueue();
  testEnv.advance(15 * MINUTE);
  await fixture.work();
  const refreshes = fixture.calls.filter(({ call }) => call === "refresh");
  expect(refreshes).toHaveLength(2);
  expect(await fixture.read()).toMatchObject({ status: "active", refreshError: null });
  expect(await fixture.events()).toEqual([]);
});

it("a dead token is mailed once by two checks at the same time, and both end", async () => {
  const fixture = await openCheckFixture(testEnv, "messenger");
  fixture.answers.inspect = dead;
  const { tenant, account } = fixture;
  const ports = fixture.newPorts();
  let sends = 0;
  const mails = {
    send: async () => {
      sends++;
      // The other check runs while the mail is being queued.
      if (sends === 1) await checkAccountHealth({ ...ports, mails }, { tenant, account }, testEnv.now());
    },
  };
  const check = () => checkAccountHealth({ ...ports, mails }, { tenant, account }, testEnv.now());
  expect(await check()).toEqual(done);
  testEnv.advance(3 * MINUTE);
  expect(await check()).toEqual(done);
  expect(sends).toBe(1);
});

it("a dead token is mailed by the next check where the process died before the mail", async () => {
  const fixture = await openCheckFixture(testEnv, "messenger");
  fixture.answers.inspect = dead;
  const { tenant, account } = fixture;
  const ports = fixture.newPorts();
  const reached = Promise.withResolvers<void>();
  const mails = {
    send: () => {
      reached.resolve();
      return new Promise<never>(() => {});
    },
  };
  void checkAccountHealth({ ...ports, mails }, { tenant, account }, testEnv.now());
  await reached.promise;
  expect(await checkAccountHealth(ports, { tenant, account }, testEnv.now())).toMatchObject({ end: "retry" });
  expect(await fixture.mails()).toHaveLength(0);
  testEnv.advance(3 * MINUTE);
  expect(await checkAccountHealth(ports, { tenant, account }, testEnv.now())).toEqual(done);
  expect(await fixture.mails()).toHaveLength(1);
});

it.each(["AccessDeniedException", "ThrottlingException"])(
  "a check whose token cannot be opened (%s) calls nothing, changes nothing and stays due",
  async (name) => {
    const fixture = await openCheckFixture(testEnv);
    const ports = fixture.newPorts();
    const open = () => Promise.reject(Object.assign(new Error("KMS refused."), { name }));
    const worker = accountsWorker({ ...ports, vault: { ...ports.vault, open } }, testEnv.now) as QueueWorker;
    const account = await fixture.read();
    const check = await fixture.readCheck();
    await fixture.passToCheck(worker);
    expect(fixture.calls).toEqual([]);
    expect([await fixture.read(), await fixture.readCheck()]).toEqual([account, check]);
    expect(await fixture.events()).toEqual([]);
    // The queue repeats it once the key is usable again.
    testEnv.advance(15 * MINUTE);
    await fixture.work();
    expect(fixture.takeCalls()).toEqual(["readSubscription", "listThreads"]);
    expect((await fixture.readCheck())?.dueAt).toBeGreaterThan(testEnv.now());
  },
);
