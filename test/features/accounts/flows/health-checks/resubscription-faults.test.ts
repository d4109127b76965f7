import { expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { openSimulatedAccount, openTestPlatforms, type SimulatedAccount } from "../support/simulated-account.ts";

// The platform ended the subscription, and people wrote since. A check subscribes again and has the messages fetched.

const testEnv = openedOnce(openTestEnv);
const platforms = openedOnce(() => openTestPlatforms(testEnv));

/** An account without a subscription, to which a person wrote before and since. */
async function open(): Promise<SimulatedAccount> {
  const account = await openSimulatedAccount(testEnv, platforms, "instagram_login");
  await account.write("before");
  await account.control("/subscriptions", { subscribed: false });
  await platforms.advance(HOUR);
  await account.write("missed");
  expect(await account.texts()).toEqual(["before"]);
  return account;
}

async function expectWhole(account: SimulatedAccount): Promise<void> {
  await platforms.advance(SECOND);
  await account.write("after");
  expect(await account.texts()).toEqual(["after", "missed", "before"]);
  const events = await account.takeEvents();
  expect(events.filter(({ type }) => type === "message.received").map(({ data }) => data.message?.text)).toEqual([
    "before",
    "missed",
    "after",
  ]);
  expect(events.map(({ type }) => type).filter((type) => type.startsWith("account."))).toEqual(["account.connected"]);
  expect(await account.read()).toMatchObject({ status: "active" });
}

it.each(faultPoints)("nothing is lost or doubled despite a fault (%s) at any call to AWS", async (point) => {
  let outcomes = 0;
  for (let index = firstFault(point); ; index += FAULT_STEP) {
    const account = await open();
    const fault = injectFaultAt(testEnv.clients, point, index);
    const worker = fault.crashable(account.newWorker());
    await account.check(worker).catch(() => {});
    // The backfill runs later, in the same process.
    for (let pass = 0; pass < 2 && !fault.reached(); pass++) {
      await platforms.advance(15 * MINUTE);
      await account.work(worker).catch(() => {});
    }
    fault.remove();
    await account.drain();
    await expectWhole(account);
    if (!fault.reached()) break;
    outcomes++;
  }
  expect(outcomes).toBeGreaterThanOrEqual(3);
});

it.each([0, 1, 2, 3])("nothing is lost or doubled although call %i to the platform has no answer", async (skip) => {
  for (const mode of ["reset_before_accept", "reset_after_accept"]) {
    const account = await open();
    await account.fault({ mode, on: "accounts", skip, for: 1 });
    await account.check();
    await account.drain();
    await account.fault({ mode: "none" });
    // The check remains due.
    await account.passToCheck();
    await account.drain();
    await expectWhole(account);
  }
});
