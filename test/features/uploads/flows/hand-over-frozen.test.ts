import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { UploadOutcome } from "#platforms/platform.ts";
import { injectFaults } from "../../../support/faults.ts";
import { unknownOutcome } from "../../../support/flows/conversation-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openHandOverFixture, refuseUpload, takeUpload } from "./support/hand-over-fixture.ts";

const testEnv = openedOnce(openTestEnv);

/** Runs a hand-over that stops before its k-th call to AWS, until `whileFrozen` is done. @returns whether it was reached */
async function runFrozen(run: () => Promise<unknown>, k: number, whileFrozen: () => Promise<void>): Promise<boolean> {
  let calls = 0;
  const decide = async () => {
    // The calls of `whileFrozen` count, too, and come after the k-th.
    if (calls++ === k) await whileFrozen();
    return "pass" as const;
  };
  const removals = testEnv.clients.map((client) => injectFaults(client as unknown as DynamoDBClient, decide));
  await run();
  for (const remove of removals) remove();
  return calls > k;
}

describe.each<[string, UploadOutcome]>([
  ["takes the file", takeUpload("late")],
  ["refuses it", refuseUpload({ detail: "no" })],
  ["refuses the token", refuseUpload({ class: "token", accountStatus: "needs_reauth" })],
  ["does not answer", unknownOutcome as UploadOutcome],
])("when the platform %s", (_name, outcome) => {
  it("a hand-over that freezes before any call changes no end that a reader saw", async () => {
    for (let k = 0; ; k++) {
      const fixture = await openHandOverFixture(testEnv);
      const id = await fixture.newUpload();
      testEnv.advance(5 * MINUTE - 11 * SECOND);
      fixture.setAnswer(outcome);
      let seen: Awaited<ReturnType<typeof fixture.state>> = null;
      const isReached = await runFrozen(fixture.run, k, async () => {
        testEnv.advance(11 * SECOND);
        seen = await fixture.state(id);
      });
      if (!isReached) {
        expect(k).toBeGreaterThanOrEqual(6);
        return;
      }
      expect(seen).toMatchObject({ status: expect.stringMatching(/^(ready|failed)$/) });
      expect(await fixture.state(id)).toEqual(seen);
      testEnv.advance(13 * MINUTE);
      await fixture.run();
      expect(await fixture.state(id)).toEqual(seen);
      expect(await fixture.copies()).toEqual([]);
    }
  });
});
