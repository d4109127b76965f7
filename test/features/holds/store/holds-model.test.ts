import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import {
  type HoldTrigger,
  holdError,
  holdSecretHash,
  holdStateAt,
  holdTransitions,
  nextHoldStatus,
} from "#features/holds/rules/holds.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { openedOnce } from "../../../support/opened.ts";
import { CANARY, createSampleHold } from "../../../support/stores/hold-samples.ts";
import { NOW } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";

const table = openedOnce(openTestTable);
const holds = openedOnce(() => holdStore(table));

/** Every row that contains the held text. */
async function rowsWithText(): Promise<number> {
  const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.name }));
  return Items.filter((item) => JSON.stringify(item).includes(CANARY)).length;
}

type ModelStep =
  | { readonly do: "claim"; readonly secret: "right" | "wrong" }
  | { readonly do: "accept" | "fail"; readonly claim: "own" | "other" }
  | { readonly do: "look" | "revoke" }
  | { readonly do: "turn"; readonly by: number };

const step: fc.Arbitrary<ModelStep> = fc.oneof(
  fc.record({ do: fc.constant("claim"), secret: fc.constantFrom("right", "right", "right", "wrong") }),
  fc.record({ do: fc.constantFrom("accept", "fail"), claim: fc.constantFrom("own", "own", "other") }),
  fc.record({ do: fc.constant("look") }),
  fc.record({ do: fc.constant("revoke") }),
  fc.record({ do: fc.constant("turn"), by: fc.constantFrom(1, 30 * SECOND, MINUTE, 15 * MINUTE - 1, 15 * MINUTE) }),
);

it("a hold follows only the transitions of the table, has at most one claim, and leaves no text", async () => {
  const gone = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const hold = await createSampleHold(table);
      let now = NOW;
      let claims = 0;
      const newSendId = newUlid(NOW);
      for (const step of steps) {
        const before = await holds.get(hold.id);
        if (!before) throw new Error("The hold is not there.");
        const stood = holdStateAt(before, now);
        let trigger: HoldTrigger | null = null;
        let passes = false;
        switch (step.do) {
          case "turn":
            now += step.by;
            break;
          case "claim": {
            const secretHash = step.secret === "right" ? hold.secretHash : holdSecretHash("wrong");
            const sendId = claims === 0 ? newSendId : newUlid(now);
            trigger = "claim";
            passes = stood.status === "awaiting_verification" && step.secret === "right";
            const claim = await holds.claimHold({ id: hold.id, secretHash }, sendId, now);
            expect(claim?.sendId === sendId).toBe(passes);
            claims += passes ? 1 : 0;
            break;
          }
          case "accept":
          case "fail": {
            trigger = step.do;
            passes = stood.status === "sending" && step.claim === "own";
            const sendId = step.claim === "own" ? newSendId : newUlid(now);
            const error = holdError("rate_limited");
            const outcome =
              trigger === "accept" ? ({ trigger, platformMessageId: "m_1" } as const) : ({ trigger, error } as const);
            const settled = await holds.settleHold(hold.id, sendId, outcome, now);
            if (passes) expect(settled?.state).toMatchObject({ status: trigger === "accept" ? "sent" : "failed" });
            break;
          }
          case "revoke":
            // It is used for holds whose time is not over; one that ran out ends in the same way.
            trigger = before.state.status === "awaiting_verification" ? "revoke" : null;
            passes = trigger !== null;
            expect(await holds.revoke(hold.id)).toBe(passes);
            break;
          case "look":
            // A reader records only an end by time.
            if (stood.status !== before.state.status) trigger = before.state.status === "sending" ? "lapse" : "run_out";
            passes = trigger !== null;
            await holds.expire(before, now);
            break;
        }
        const after = await holds.get(hold.id);
        if (!after) throw new Error("The hold is not there.");
        expect(after.content === null).toBe(after.state.status !== "awaiting_verification");
        if (!trigger || !passes) {
          expect(after).toEqual(before);
          continue;
        }
        expect(after.state.status).toBe(nextHoldStatus(before.state.status, trigger));
        gone.add(`${before.state.status} ${trigger}`);
      }
      expect(claims).toBeLessThanOrEqual(1);
      // Late enough, every hold has ended and has no content.
      const last = await holds.get(hold.id);
      if (last && (last.state.status === "awaiting_verification" || last.state.status === "sending")) {
        const ended = await holds.expire(last, now + 16 * MINUTE);
        expect(["expired", "failed"]).toContain(ended?.state.status);
      }
      expect(await holds.get(hold.id)).toMatchObject({ content: null });
    }),
    { numRuns: 60 },
  );
  // Most transitions occur in every run; otherwise the test would prove little.
  expect(gone.size).toBeGreaterThanOrEqual(holdTransitions.length - 2);
  expect(await rowsWithText()).toBe(0);
}, 60_000);
