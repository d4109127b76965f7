import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completeHold } from "../../../../shared/flows/holds/complete.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { SECOND } from "../../../../shared/kernel/time.ts";
import { openHoldScene } from "../support/hold-scene.ts";
import { type House, openHouse } from "../support/house.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe("of many at once", () => {
  it("twenty right completions make one call and one message; the others are told that it is on its way or gone", async () => {
    const scene = await openHoldScene(house);
    const made = await scene.hold();
    const answers = await Promise.all(Array.from({ length: 20 }, () => scene.complete(made)));
    expect(scene.calls).toHaveLength(1);
    const sent = answers.filter((answer) => !isRefusal(answer));
    expect(sent).toMatchObject([{ state: { status: "sent" } }]);
    for (const answer of answers.filter((one) => isRefusal(one))) {
      expect(["hold_sending", "hold_sent"]).toContain(answer.refused);
    }
    expect((await scene.messages()).filter(({ direction }) => direction === "outbound")).toHaveLength(1);
    expect((await scene.audits()).map(({ action }) => action).sort()).toEqual(["hold.create", "hold.verify"]);
  });

  it("a completion and the end of time at the same millisecond: one of the two", async () => {
    for (const before of [1, 0]) {
      const scene = await openHoldScene(house);
      const made = await scene.hold();
      const answer = await scene.rightAnswer(made);
      house.turn(made.expiresAt - house.now() - before);
      const reads = () => Promise.all(Array.from({ length: 5 }, () => scene.read(made.id)));
      const [done] = await Promise.all([completeHold(scene.checkPorts(), answer, house.now), reads(), reads()]);
      if (before === 1) {
        expect(done).toMatchObject({ state: { status: "sent" } });
        expect(scene.calls).toHaveLength(1);
      } else {
        expect(done).toMatchObject({ refused: "hold_ran_out" });
        expect(await scene.read(made.id)).toMatchObject({ state: { status: "expired" } });
        expect(scene.calls).toEqual([]);
      }
    }
  });

  it("what one clock has seen run out is not sent by another that is behind", async () => {
    const scene = await openHoldScene(house);
    const made = await scene.hold();
    const answer = await scene.rightAnswer(made);
    house.turn(made.expiresAt - house.now());
    expect(await scene.read(made.id)).toMatchObject({ state: { status: "expired" } });
    const behind = () => house.now() - 5 * SECOND;
    expect(await completeHold(scene.checkPorts(), answer, behind)).toMatchObject({ refused: "hold_ran_out" });
    expect(scene.calls).toEqual([]);
  });
});
