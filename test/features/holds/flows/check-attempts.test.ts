import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { completeHold } from "#features/holds/flows/complete.ts";
import { viewHold } from "#features/holds/flows/view.ts";
import { type HoldFixture, newSourceIp, openHoldFixture } from "../../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedOnce(() => openHoldFixture(testEnv));
/** Advances to the start of the next five-minute window. */
const advanceToNextWindow = () => testEnv.advance(5 * MINUTE - (testEnv.now() % (5 * MINUTE)));
beforeEach(() => advanceToNextWindow());

const wrongAttempt = (sourceIp: string, holdId = "hold_0") =>
  viewHold(fixture.checkPagePorts(), { holdId, secret: "wrong", sourceIp }, testEnv.now());
const notFound = { refused: "hold_not_found" };
const tooMany = (retryAfter: number) => ({ refused: "verification_limit", retryAfter });

it("an address is refused after 30 failures until the five-minute window ends, even with the right secret", async () => {
  const { id } = await fixture.newHold();
  const source = newSourceIp();
  for (let i = 0; i < 30; i++) expect(await wrongAttempt(source, i % 2 ? id : "hold_0")).toEqual(notFound);
  testEnv.advance(30 * SECOND);
  expect(await wrongAttempt(source)).toEqual(tooMany(270));
  expect(await fixture.view(id, source)).toEqual(tooMany(270));
  expect(await fixture.view(id)).toMatchObject({ state: { status: "awaiting_verification" } });
  testEnv.advance(270 * SECOND - 1);
  expect(await wrongAttempt(source)).toEqual(tooMany(1));
  testEnv.advance(1);
  expect(await fixture.view(id, source)).toMatchObject({ state: { status: "awaiting_verification" } });
});

it("an address gets exactly 30 answers when all attempts arrive at once", async () => {
  const source = newSourceIp();
  const answers = await Promise.all(Array.from({ length: 50 }, () => wrongAttempt(source)));
  expect(answers.filter((answer) => isRefusal(answer) && answer.refused === "hold_not_found")).toHaveLength(30);
  expect(answers.filter((answer) => isRefusal(answer) && answer.refused === "verification_limit")).toHaveLength(20);
});

it("an address is the whole /64 for IPv6, and nothing beyond it", async () => {
  for (let i = 0; i < 30; i++) await wrongAttempt(`2001:db8:0:7::${i.toString(16)}`);
  expect(await wrongAttempt("2001:db8:0:7:ffff::1")).toEqual(tooMany(300));
  expect(await wrongAttempt("2001:db8:0:8::1")).toEqual(notFound);
});

it("an address is not charged for reads with the right secret, nor for successful completions", async () => {
  const source = newSourceIp();
  for (let i = 0; i < 29; i++) await wrongAttempt(source);
  const hold = await fixture.newHold();
  for (let i = 0; i < 40; i++) expect(isRefusal(await fixture.view(hold.id, source))).toBe(false);
  const answer = { ...(await fixture.solvedAnswer(hold)), sourceIp: source };
  expect(await fixture.answer(answer)).toMatchObject({ state: { status: "sent" } });
  expect(await wrongAttempt(source)).toEqual(notFound);
  expect(await wrongAttempt(source)).toEqual(tooMany(300));
});

it("an address is charged for wrong tokens and solutions like for wrong secrets", async () => {
  const source = newSourceIp();
  for (let i = 0; i < 29; i++) await wrongAttempt(source);
  const right = await fixture.solvedAnswer(await fixture.newHold());
  const answer = { ...right, sourceIp: source, token: "x" };
  expect(await fixture.answer(answer)).toMatchObject({ detail: "invalid_token" });
  expect(await wrongAttempt(source)).toEqual(tooMany(300));
});

const fail = async (hold: Parameters<HoldFixture["solvedAnswer"]>[0]) =>
  completeHold(
    fixture.checkPagePorts(),
    { ...(await fixture.solvedAnswer(hold)), solutions: [] },
    startRequestTime(testEnv.now),
  );

it("a hold gives ten challenges in five minutes, and the tenth can still be completed", async () => {
  const hold = await fixture.newHold();
  for (let i = 0; i < 10; i++) expect(await fixture.challenge(hold.id)).toMatchObject({ challenge: { c: 50 } });
  expect(await fixture.challenge(hold.id)).toEqual(tooMany(300));
  expect(await fixture.complete(hold)).toMatchObject({ state: { status: "sent" } });
});

it("a hold counts challenges and failed completions from all addresses together, and then makes a right one wait", async () => {
  const hold = await fixture.newHold();
  for (let i = 0; i < 4; i++) expect(isRefusal(await fixture.challenge(hold.id))).toBe(false);
  for (let i = 0; i < 6; i++) expect(await fail(hold)).toMatchObject({ detail: "invalid_solutions" });
  expect(await fail(hold)).toEqual(tooMany(300));
  expect(await fixture.challenge(hold.id)).toEqual(tooMany(300));
  expect(await fixture.complete(hold)).toEqual(tooMany(300));
  expect(await fixture.view(hold.id)).toMatchObject({ state: { status: "awaiting_verification" } });
  advanceToNextWindow();
  expect(await fixture.complete(hold)).toMatchObject({ state: { status: "sent" } });
});

it("a hold is not charged for attempts with a wrong secret", async () => {
  const hold = await fixture.newHold();
  for (let i = 0; i < 12; i++) {
    const answer = { ...(await fixture.solvedAnswer(hold)), secret: "wrong" };
    expect(await fixture.answer(answer)).toEqual(notFound);
  }
  expect(await fixture.challenge(hold.id)).toMatchObject({ challenge: { c: 50 } });
});

it("a hold gives exactly ten challenges when all are requested at once", async () => {
  const hold = await fixture.newHold();
  const answers = await Promise.all(Array.from({ length: 25 }, () => fixture.challenge(hold.id)));
  expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(10);
});
