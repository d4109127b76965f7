import { beforeAll, describe, expect, it } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import {
  easyChallengeToken,
  type HoldFixture,
  openHoldFixture,
  solveAllButOne,
  solveChallenge,
} from "../../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { siblingId } from "../../../support/stores/samples.ts";
import { oneKeyRing } from "../../../support/world/key-rings.ts";

const testEnv = openedOnce(openTestEnv);

describe("a completion is refused and sends nothing with", () => {
  let fixture: HoldFixture;
  beforeAll(async () => {
    fixture = await openHoldFixture(testEnv);
  });

  it.each([
    ["a wrong solution", "invalid_solutions"],
    ["a solution too few", "invalid_solutions"],
    ["a solution too many", "invalid_solutions"],
    ["a solution that is not an integer", "invalid_solutions"],
    ["a negative solution", "invalid_solutions"],
    ["a token with a changed character", "invalid_token"],
    ["a token sealed with another key", "invalid_token"],
    ["a token of another hold", "invalid_token"],
    ["no token", "invalid_token"],
    ["an expired token", "challenge_expired"],
  ])("a completion with %s is refused and sends nothing", async (caseName, detail) => {
    const hold = await fixture.newHold();
    const other = await fixture.newHold();
    const right = await fixture.solvedAnswer(hold);
    const answering = (token: string) => ({ token, solutions: solveChallenge(token) });
    const [first = 0, ...rest] = right.solutions;
    const changed = {
      "a wrong solution": { solutions: solveAllButOne(right.token) },
      "a solution too few": { solutions: rest },
      "a solution too many": { solutions: [...right.solutions, 0] },
      "a solution that is not an integer": { solutions: [first + 0.5, ...rest] },
      "a negative solution": { solutions: [-1, ...rest] },
      "a token with a changed character": { token: siblingId(right.token) },
      "a token sealed with another key": answering(
        easyChallengeToken({ holdId: hold.id, expires: hold.expiresAt }, oneKeyRing(Buffer.alloc(32, 8))),
      ),
      "a token of another hold": answering(easyChallengeToken({ holdId: other.id, expires: hold.expiresAt })),
      "no token": { token: "" },
      "an expired token": answering(easyChallengeToken({ holdId: hold.id, expires: testEnv.now() })),
    }[caseName];
    const answer = await fixture.answer({ ...right, ...changed });
    expect(answer).toMatchObject({ refused: "invalid_request", detail, errors: [{ problem: expect.any(String) }] });
    expect(await fixture.read(hold.id)).toMatchObject({ state: { status: "awaiting_verification" } });
    // The right answer passes, so nothing else was wrong.
    expect(await fixture.answer(right)).toMatchObject({ state: { status: "sent" } });
    testEnv.advance(11 * SECOND);
  });

  it.each(["the secret of another hold", "a secret with a changed character", "an id with a changed character"])(
    "a completion with %s is refused like for an unknown hold",
    async (caseName) => {
      const hold = await fixture.newHold();
      const other = await fixture.newHold();
      const right = await fixture.solvedAnswer(hold);
      const changed = {
        "the secret of another hold": { secret: await fixture.secret(other.id) },
        "a secret with a changed character": { secret: siblingId(right.secret) },
        "an id with a changed character": { holdId: siblingId(right.holdId) },
      }[caseName];
      const answer = await fixture.answer({ ...right, ...changed });
      expect(answer).toEqual({ refused: "hold_not_found" });
      expect(await fixture.answer({ ...right, holdId: "hold_x" })).toEqual(answer);
    },
  );

  it("a completion with the right secret after 30 minutes is refused like for an unknown hold", async () => {
    const hold = await fixture.newHold();
    testEnv.advance(30 * MINUTE);
    expect(await fixture.view(hold.id)).toEqual({ refused: "hold_not_found" });
  });
});
