import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completeHold } from "../../../../shared/flows/holds/complete.ts";
import { lookAtHold } from "../../../../shared/flows/holds/view.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { beside } from "../../stores/support/samples.ts";
import { easyToken, type HoldScene, newSource, openHoldScene, solve, solvedButOne } from "../support/hold-scene.ts";
import { type House, openHouse } from "../support/house.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const look = async (scene: HoldScene, holdId: string) =>
  lookAtHold(scene.checkPorts(), { holdId, secret: await scene.secret(holdId), sourceIp: newSource() }, house.now());

describe("each of these alone is refused, and nothing is sent:", () => {
  let scene: HoldScene;
  beforeAll(async () => {
    scene = await openHoldScene(house);
  });

  it.each([
    ["a solution that is another number", "invalid_solutions"],
    ["a solution too few", "invalid_solutions"],
    ["a solution too many", "invalid_solutions"],
    ["a solution that is no whole number", "invalid_solutions"],
    ["a negative solution", "invalid_solutions"],
    ["a token with another character", "invalid_token"],
    ["a token sealed by someone else", "invalid_token"],
    ["a token of another hold", "invalid_token"],
    ["no token", "invalid_token"],
    ["a token whose time is over", "challenge_expired"],
  ])("%s", async (what, detail) => {
    const made = await scene.hold();
    const other = await scene.hold();
    const right = await scene.rightAnswer(made);
    const answering = (token: string) => ({ token, solutions: solve(token) });
    const [first = 0, ...rest] = right.solutions;
    const changed = {
      "a solution that is another number": { solutions: solvedButOne(right.token) },
      "a solution too few": { solutions: rest },
      "a solution too many": { solutions: [...right.solutions, 0] },
      "a solution that is no whole number": { solutions: [first + 0.5, ...rest] },
      "a negative solution": { solutions: [-1, ...rest] },
      "a token with another character": { token: beside(right.token) },
      "a token sealed by someone else": answering(
        easyToken({ holdId: made.id, expires: made.expiresAt }, Buffer.alloc(32, 8)),
      ),
      "a token of another hold": answering(easyToken({ holdId: other.id, expires: made.expiresAt })),
      "no token": { token: "" },
      "a token whose time is over": answering(easyToken({ holdId: made.id, expires: house.now() })),
    }[what];
    const answer = await completeHold(scene.checkPorts(), { ...right, ...changed }, house.now);
    expect(answer).toEqual({ refused: "invalid_request", detail });
    expect(await scene.read(made.id)).toMatchObject({ state: { status: "awaiting_verification" } });
    // It was that alone: the right answer passes.
    expect(await completeHold(scene.checkPorts(), right, house.now)).toMatchObject({ state: { status: "sent" } });
    house.turn(11 * SECOND);
  });

  it.each(["the secret of another hold", "a secret with another character", "an id with another character"])(
    "%s: the same as a hold that never was",
    async (what) => {
      const made = await scene.hold();
      const other = await scene.hold();
      const right = await scene.rightAnswer(made);
      const changed = {
        "the secret of another hold": { secret: await scene.secret(other.id) },
        "a secret with another character": { secret: beside(right.secret) },
        "an id with another character": { holdId: beside(right.holdId) },
      }[what];
      const answer = await completeHold(scene.checkPorts(), { ...right, ...changed }, house.now);
      expect(answer).toEqual({ refused: "hold_not_found" });
      expect(await completeHold(scene.checkPorts(), { ...right, holdId: "hold_x" }, house.now)).toEqual(answer);
    },
  );

  it("a hold past its half hour, by the right secret: the same as a hold that never was", async () => {
    const made = await scene.hold();
    house.turn(30 * MINUTE);
    expect(await look(scene, made.id)).toEqual({ refused: "hold_not_found" });
  });
});
