import { expect, it } from "vitest";
import { DAY, SECOND } from "#base/kernel/time.ts";
import { policyStatements, synthesizeTemplates } from "../lib/synth-templates.ts";
import { injectFaults } from "../support/faults.ts";
import { openOutage } from "../support/flows/outage-fixture.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";

const testEnv = openedOnce(openTestEnv);

/** The beginnings of the partition keys under which Deliver may write. */
const allowed = policyStatements(synthesizeTemplates().service, "Deliver").flatMap(({ Condition }) => {
  const { "ForAllValues:StringLike": keys } = (Condition ?? {}) as Record<string, Record<string, string[]>>;
  return keys?.["dynamodb:LeadingKeys"]?.map((pattern) => pattern.slice(0, -1)) ?? [];
});

interface WriteInput {
  readonly Item?: { readonly PK: unknown };
  readonly Key?: { readonly PK: unknown };
  readonly TransactItems?: readonly Readonly<Record<string, WriteInput>>[];
}

function writtenKeys(input: WriteInput): unknown[] {
  const parts = (input.TransactItems ?? []).flatMap((part) => Object.values(part).flatMap(writtenKeys));
  return [input.Item?.PK, input.Key?.PK].filter((key) => key !== undefined).concat(parts);
}

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
    if (isWorking && /^(Put|Update|TransactWrite)/.test(command))
      keys.push(...writtenKeys(input as WriteInput).map((key) => JSON.stringify(key)));
    return "pass";
  });
  const beginnings = () => new Set(keys.map((key) => /[A-Z]+#/.exec(key)?.[0]));
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
