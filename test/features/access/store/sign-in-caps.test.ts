import { describe, expect, it } from "vitest";
import { randomToken } from "#base/kernel/bytes.ts";
import { SECOND } from "#base/kernel/time.ts";
import { signInWindow } from "#features/access/rules/sign-in-window.ts";
import { signInCapStore } from "#features/access/store/sign-in-caps.ts";
import { type Fault, withFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";

const table = openedOnce(openTestTable);
const caps = openedOnce(() => signInCapStore(table));

const { start, end } = signInWindow(NOW);
const newSubject = () => randomToken(8).toString("hex");
const consume = async (kind: "address" | "source", subject: string, times: number, now = NOW) =>
  Promise.all(Array.from({ length: times }, () => caps.consume(kind, subject, now)));
const passed = (results: readonly (number | null)[]) => results.filter((result) => result === null).length;

describe.each([
  ["address", 5],
  ["source", 20],
] as const)("the cap of an %s", (kind, max) => {
  it(`a cap lets ${max} of many requests at once pass`, async () => {
    expect(passed(await consume(kind, newSubject(), 3 * max))).toBe(max);
  });

  it("a cap names the seconds until its window ends, and passes the next window's first request", async () => {
    const subject = newSubject();
    expect(passed(await consume(kind, subject, max, start))).toBe(max);
    expect(await caps.consume(kind, subject, start)).toBe(900);
    expect(await caps.consume(kind, subject, start + 1)).toBe(900);
    expect(await caps.consume(kind, subject, end - SECOND)).toBe(1);
    expect(await caps.consume(kind, subject, end - 1)).toBe(1);
    expect(await caps.consume(kind, subject, end)).toBeNull();
  });

  it("a cap is of one subject and of one kind", async () => {
    const subject = newSubject();
    await consume(kind, subject, max);
    expect(await caps.consume(kind, newSubject(), NOW)).toBeNull();
    expect(await caps.consume(kind === "address" ? "source" : "address", subject, NOW)).toBeNull();
  });

  it.each(["lost", "twice"] as const)(
    "a cap counts a request once whose write is done twice (%s)",
    async (fault: Fault) => {
      const subject = newSubject();
      for (let i = 0; i < max; i++) {
        expect(await withFaults(table.client, fault, () => caps.consume(kind, subject, NOW))).toBeNull();
      }
      expect(await caps.consume(kind, subject, NOW)).not.toBeNull();
    },
  );
});
