import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type HoldTrigger,
  holdAfter,
  holdError,
  holdSecretHash,
  holdStateAt,
  holdTransitions,
} from "../../../../shared/domain/holds/holds.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { openTable, type Table } from "../../../../shared/stores/client.ts";
import { type Holds, holdStore } from "../../../../shared/stores/holds/holds.ts";
import { startTestTable, type TestTable } from "../../../support/dynamo.ts";
import { CANARY, held } from "../support/held.ts";
import { NOW } from "../support/samples.ts";

let table: TestTable;
let opened: Table;
let holds: Holds;
beforeAll(async () => {
  table = await startTestTable();
  opened = openTable(table.tableName, table.client);
  holds = holdStore(opened);
});
afterAll(() => table.close());

/** Every row that says what was held. */
async function rowsWithText(): Promise<number> {
  const { Items = [] } = await opened.client.send(new ScanCommand({ TableName: opened.name }));
  return Items.filter((item) => JSON.stringify(item).includes(CANARY)).length;
}

type Step =
  | { readonly do: "claim"; readonly secret: "right" | "wrong" }
  | { readonly do: "accept" | "fail"; readonly claim: "own" | "other" }
  | { readonly do: "look" }
  | { readonly do: "turn"; readonly by: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("claim"), secret: fc.constantFrom("right", "right", "right", "wrong") }),
  fc.record({ do: fc.constantFrom("accept", "fail"), claim: fc.constantFrom("own", "own", "other") }),
  fc.record({ do: fc.constant("look") }),
  fc.record({ do: fc.constant("turn"), by: fc.constantFrom(1, 30 * SECOND, MINUTE, 15 * MINUTE - 1, 15 * MINUTE) }),
);

it("a hold goes the ways of the table of transitions and no other, has one claim at most, and no text behind it", async () => {
  const gone = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const hold = await held(opened);
      let now = NOW;
      let claims = 0;
      const mine = newUlid(NOW);
      for (const asked of steps) {
        const before = await holds.get(hold.id);
        if (!before) throw new Error("The hold is not there.");
        const stood = holdStateAt(before, now);
        let trigger: HoldTrigger | null = null;
        let passes = false;
        switch (asked.do) {
          case "turn":
            now += asked.by;
            break;
          case "claim": {
            const secretHash = asked.secret === "right" ? hold.secretHash : holdSecretHash("wrong");
            const sendId = claims === 0 ? mine : newUlid(now);
            trigger = "claim";
            passes = stood.status === "awaiting_verification" && asked.secret === "right";
            const claim = await holds.claim({ id: hold.id, secretHash }, sendId, now);
            expect(claim?.sendId === sendId).toBe(passes);
            claims += passes ? 1 : 0;
            break;
          }
          case "accept":
          case "fail": {
            trigger = asked.do;
            passes = stood.status === "sending" && asked.claim === "own";
            const sendId = asked.claim === "own" ? mine : newUlid(now);
            const error = holdError("rate_limited");
            const outcome =
              trigger === "accept" ? ({ trigger, platformMessageId: "m_1" } as const) : ({ trigger, error } as const);
            const stands = await holds.settle(hold.id, sendId, outcome, now);
            if (passes) expect(stands?.state).toMatchObject({ status: trigger === "accept" ? "sent" : "failed" });
            break;
          }
          case "look":
            // Whoever looks makes sure of an end that came by time, and only of that.
            if (stood.status !== before.state.status) trigger = before.state.status === "sending" ? "lapse" : "run_out";
            passes = trigger !== null;
            await holds.endByTime(before, now);
            break;
        }
        const after = await holds.get(hold.id);
        if (!after) throw new Error("The hold is not there.");
        expect(after.content === null).toBe(after.state.status !== "awaiting_verification");
        if (!trigger || !passes) {
          expect(after).toEqual(before);
          continue;
        }
        expect(after.state.status).toBe(holdAfter(before.state.status, trigger));
        gone.add(`${before.state.status} ${trigger}`);
      }
      expect(claims).toBeLessThanOrEqual(1);
      // However it went, looked at late enough it has ended and says nothing.
      const last = await holds.get(hold.id);
      if (last && (last.state.status === "awaiting_verification" || last.state.status === "sending")) {
        const ended = await holds.endByTime(last, now + 16 * MINUTE);
        expect(["expired", "failed"]).toContain(ended?.state.status);
      }
      expect(await holds.get(hold.id)).toMatchObject({ content: null });
    }),
    { numRuns: 60 },
  );
  // Not every way in every run, but most: else this would prove little.
  expect(gone.size).toBeGreaterThanOrEqual(holdTransitions.length - 2);
  expect(await rowsWithText()).toBe(0);
}, 60_000);
