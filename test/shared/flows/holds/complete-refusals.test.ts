import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completeHold } from "../../../../shared/flows/holds/complete.ts";
import { viewHold } from "../../../../shared/flows/holds/view.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { siblingId } from "../../stores/support/samples.ts";
import {
  easyChallengeToken,
  type HoldFixture,
  newSourceIp,
  openHoldFixture,
  solveAllButOne,
  solveChallenge,
} from "../support/hold-fixture.ts";
import { openTestEnv, type TestEnv } from "../support/test-env.ts";

let testEnv: TestEnv;
beforeAll(async () => {
  testEnv = await openTestEnv();
});
afterAll(() => testEnv.close());

const viewFixtureHold = async (fixture: HoldFixture, holdId: string) =>
  viewHold(
    fixture.checkPorts(),
    { holdId, secret: await fixture.secret(holdId), sourceIp: newSourceIp() },
    testEnv.now(),
  );

describe("each of these alone is refused, and nothing is sent:", () => {
  let fixture: HoldFixture;
  beforeAll(async () => {
    fixture = await openHoldFixture(testEnv);
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
  ])("%s", async (caseName, detail) => {
    const hold = await fixture.newHold();
    const other = await fixture.newHold();
    const right = await fixture.solvedAnswer(hold);
    const answering = (token: string) => ({ token, solutions: solveChallenge(token) });
    const [first = 0, ...rest] = right.solutions;
    const changed = {
      "a solution that is another number": { solutions: solveAllButOne(right.token) },
      "a solution too few": { solutions: rest },
      "a solution too many": { solutions: [...right.solutions, 0] },
      "a solution that is no whole number": { solutions: [first + 0.5, ...rest] },
      "a negative solution": { solutions: [-1, ...rest] },
      "a token with another character": { token: siblingId(right.token) },
      "a token sealed by someone else": answering(
        easyChallengeToken({ holdId: hold.id, expires: hold.expiresAt }, Buffer.alloc(32, 8)),
      ),
      "a token of another hold": answering(easyChallengeToken({ holdId: other.id, expires: hold.expiresAt })),
      "no token": { token: "" },
      "a token whose time is over": answering(easyChallengeToken({ holdId: hold.id, expires: testEnv.now() })),
    }[caseName];
    const answer = await completeHold(fixture.checkPorts(), { ...right, ...changed }, testEnv.now);
    expect(answer).toEqual({ refused: "invalid_request", detail });
    expect(await fixture.read(hold.id)).toMatchObject({ state: { status: "awaiting_verification" } });
    // It was that alone: the right answer passes.
    expect(await completeHold(fixture.checkPorts(), right, testEnv.now)).toMatchObject({ state: { status: "sent" } });
    testEnv.advance(11 * SECOND);
  });

  it.each(["the secret of another hold", "a secret with another character", "an id with another character"])(
    "%s: the same as a hold that never was",
    async (caseName) => {
      const hold = await fixture.newHold();
      const other = await fixture.newHold();
      const right = await fixture.solvedAnswer(hold);
      const changed = {
        "the secret of another hold": { secret: await fixture.secret(other.id) },
        "a secret with another character": { secret: siblingId(right.secret) },
        "an id with another character": { holdId: siblingId(right.holdId) },
      }[caseName];
      const answer = await completeHold(fixture.checkPorts(), { ...right, ...changed }, testEnv.now);
      expect(answer).toEqual({ refused: "hold_not_found" });
      expect(await completeHold(fixture.checkPorts(), { ...right, holdId: "hold_x" }, testEnv.now)).toEqual(answer);
    },
  );

  it("a hold past its half hour, by the right secret: the same as a hold that never was", async () => {
    const hold = await fixture.newHold();
    testEnv.advance(30 * MINUTE);
    expect(await viewFixtureHold(fixture, hold.id)).toEqual({ refused: "hold_not_found" });
  });
});
