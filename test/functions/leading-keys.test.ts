import { expect, it } from "vitest";
import { DAY, SECOND } from "#base/kernel/time.ts";
import { policyStatements, synthesizeTemplates } from "../lib/synth-templates.ts";
import { injectFaults } from "../support/faults.ts";
import { openOutage } from "../support/flows/outage-fixture.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";
import { writableByAction, writesOf } from "./support/written-keys.ts";

const testEnv = openedOnce(openTestEnv);

const allowed = writableByAction("Deliver");

it("Deliver may write no row of a conversation, user, key, hold, sign-in link or account", () => {
  const put = ["D#", "E#", "N#", "A#"].map((beginning) => `Put ${beginning}`);
  const update = ["D#", "Q#", "W#", "S#", "T#"].map((beginning) => `Update ${beginning}`);
  expect(allowed).toEqual([...put, ...update]);
  for (const key of ["CONV#", "USR#", "K#", "H#", "TOK#", "ACC#", "CK#", "INV#", "DD#"]) {
    expect(allowed.filter((write) => key.startsWith(write.split(" ")[1] ?? ""))).toEqual([]);
  }
});

it("Deliver writes under the keys of its policy, when it delivers, fails, retries, warns, pauses and is refused with 410", async () => {
  const made: string[] = [];
  let isWorking = false;
  const end = injectFaults(testEnv.client, ({ command, input }) => {
    if (isWorking) made.push(...writesOf(command, input));
    return "pass";
  });
  const kinds = () => new Set(made);
  for (const response of [200, 500, 410]) {
    const outage = await openOutage(testEnv);
    outage.respondWith(response);
    for (let i = 0; i < 3; i++) await outage.write(1);
    made.length = 0;
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
    expect(kinds().size).toBeGreaterThan(1);
    for (const kind of kinds()) expect(allowed).toContain(kind);
  }
  end();
});

/** Data deletions, deliveries and due attempts, of those that finish them. */
const dueRows = { Sweep: ["DD#", "D#", "Q#"] };

it.each([
  ["Mail", { Update: ["TOK#", "T#"] }],
  [
    "Verify",
    {
      Put: ["CK#", "CONV#", "QS#", "E#", "ER#", "A#"],
      Update: ["H#", "TR#", "CONV#", "B#", "T#"],
      Delete: ["QS#", "CONV#"],
      ConditionCheck: ["CONV#"],
    },
  ],
  ["HandOver", { Put: ["E#"], Update: ["U#", "AT#", "B#", "T#"] }],
  ["Profile", { Put: ["CONV#", "E#", "N#"], Update: ["CONV#"], ConditionCheck: ["CONV#"] }],
  [
    "Sweep",
    {
      Put: ["CONV#", "E#", "ER#", "Q#", "QUAR#"],
      Update: ["CONV#", "B#", "T#", "H#", "DD#", "D#", "S#", "Q#", "Q", "QS", "QD"],
      Delete: ["CONV#", "QS#", "QUAR#"],
      ConditionCheck: ["CONV#"],
    },
  ],
] as const)(
  "the %s role writes under these beginnings only, which have no user, key or route of an account",
  (name, writes) => {
    const expected = Object.entries<readonly string[]>(writes).flatMap(([action, beginnings]) =>
      beginnings.map((beginning) => `${action} ${beginning}`),
    );
    expect(writableByAction(name)).toEqual(expected);
    const due: readonly string[] = dueRows[name as keyof typeof dueRows] ?? [];
    for (const key of ["USR#", "EML#", "K#", "INV#", "ACC#", "AU#", "DD#", "D#", "Q#", "OPERATORS"]) {
      if (!due.includes(key)) expect(expected.filter((write) => key.startsWith(write.split(" ")[1] ?? ""))).toEqual([]);
    }
  },
);

it("a name without # is a whole key, and no beginning of another", () => {
  const patterns = policyStatements(synthesizeTemplates().service, "Sweep").flatMap(({ Action, Condition }) => {
    const { "ForAllValues:StringLike": keys } = (Condition ?? {}) as Record<string, Record<string, string[]>>;
    return Action === "dynamodb:UpdateItem" ? (keys?.["dynamodb:LeadingKeys"] ?? []) : [];
  });
  expect(patterns).toEqual(expect.arrayContaining(["Q", "QS", "QD"]));
  expect(
    patterns.filter((pattern) => "QUAR#Inbound".startsWith(pattern.replace(/\*$/, "")) && pattern.endsWith("*")),
  ).toEqual([]);
});
