import { expect, it } from "vitest";
import { DAY, SECOND } from "#base/kernel/time.ts";
import { injectFaults } from "../support/faults.ts";
import { openOutage } from "../support/flows/outage-fixture.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";
import { writableBeginnings, writtenKeys } from "./support/written-keys.ts";

const testEnv = openedOnce(openTestEnv);

const allowed = writableBeginnings("Deliver");

it("Deliver may write no row of a conversation, user, key, hold, sign-in link or account", () => {
  expect(allowed).toEqual(["D#", "Q#", "W#", "E#", "S#", "N#", "A#", "T#"]);
  for (const key of ["CONV#", "USR#", "K#", "H#", "TOK#", "ACC#", "CK#", "INV#", "DD#"]) {
    expect(allowed.filter((beginning) => key.startsWith(beginning))).toEqual([]);
  }
});

it("Deliver writes under the keys of its policy, when it delivers, fails, retries, warns, pauses and is refused with 410", async () => {
  const keys: string[] = [];
  let isWorking = false;
  const end = injectFaults(testEnv.client, ({ command, input }) => {
    if (isWorking) keys.push(...writtenKeys(command, input));
    return "pass";
  });
  const beginnings = () => new Set(keys.map((key) => /^[A-Z]+#/.exec(key)?.[0]));
  for (const response of [200, 500, 410]) {
    const outage = await openOutage(testEnv);
    outage.respondWith(response);
    for (let i = 0; i < 3; i++) await outage.write(1);
    keys.length = 0;
    const work = async () => {
      isWorking = true;
      await outage.drainQueues();
      isWorking = false;
    };
    await work();
    testEnv.advance(6 * SECOND);
    await work();
    if (response === 500) {
      await outage.setBreaker({ failingSince: testEnv.now() - 6 * DAY, failedSince: 20 });
      await outage.write(1);
      await work();
    }
    expect([...beginnings()].length).toBeGreaterThan(1);
    for (const beginning of beginnings()) expect(allowed).toContain(beginning);
  }
  end();
});

it.each([
  ["Mail", ["TOK#", "T#"]],
  ["Verify", ["H#", "TR#", "CK#", "CONV#", "QS#", "B#", "E#", "A#", "T#"]],
  ["HandOver", ["U#", "AT#", "B#", "E#", "T#"]],
  ["Profile", ["CONV#"]],
] as const)(
  "the %s role writes under these beginnings only, which have no user, key or route of an account",
  (name, beginnings) => {
    expect(writableBeginnings(name)).toEqual(beginnings);
    for (const key of ["USR#", "EML#", "K#", "INV#", "ACC#", "AU#", "DD#", "D#", "Q#", "OPERATORS"]) {
      expect(beginnings.filter((beginning) => key.startsWith(beginning))).toEqual([]);
    }
  },
);
