import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { takeChallenge } from "../../../../shared/flows/holds/challenge.ts";
import { completeHold } from "../../../../shared/flows/holds/complete.ts";
import { lookAtHold } from "../../../../shared/flows/holds/view.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { type HoldScene, newSource, openHoldScene } from "../support/hold-scene.ts";
import { type House, openHouse } from "../support/house.ts";

let house: House;
let scene: HoldScene;
beforeAll(async () => {
  house = await openHouse();
  scene = await openHoldScene(house);
});
afterAll(() => house.close());
/** To the beginning of the next five minutes. */
const toNextWindow = () => house.turn(5 * MINUTE - (house.now() % (5 * MINUTE)));
beforeEach(() => toNextWindow());

const wrong = (sourceIp: string, holdId = "hold_0") =>
  lookAtHold(scene.checkPorts(), { holdId, secret: "wrong", sourceIp }, house.now());
const notFound = { refused: "hold_not_found" };
const tooMany = (retryAfter: number) => ({ refused: "too_many_tries", retryAfter });

async function look(holdId: string, sourceIp: string) {
  return lookAtHold(scene.checkPorts(), { holdId, secret: await scene.secret(holdId), sourceIp }, house.now());
}

describe("an address", () => {
  it("has thirty failures in five minutes, and then no answer until they are over, right secret or not", async () => {
    const { id } = await scene.hold();
    const source = newSource();
    for (let i = 0; i < 30; i++) expect(await wrong(source, i % 2 ? id : "hold_0")).toEqual(notFound);
    house.turn(30 * SECOND);
    expect(await wrong(source)).toEqual(tooMany(270));
    expect(await look(id, source)).toEqual(tooMany(270));
    expect(await look(id, newSource())).toMatchObject({ state: { status: "awaiting_verification" } });
    house.turn(270 * SECOND - 1);
    expect(await wrong(source)).toEqual(tooMany(1));
    house.turn(1);
    expect(await look(id, source)).toMatchObject({ state: { status: "awaiting_verification" } });
  });

  it("gets thirty answers and no more when all its tries come at once", async () => {
    const source = newSource();
    const answers = await Promise.all(Array.from({ length: 50 }, () => wrong(source)));
    expect(answers.filter((answer) => isRefusal(answer) && answer.refused === "hold_not_found")).toHaveLength(30);
    expect(answers.filter((answer) => isRefusal(answer) && answer.refused === "too_many_tries")).toHaveLength(20);
  });

  it("of IPv6 is its whole /64, and no more than that", async () => {
    for (let i = 0; i < 30; i++) await wrong(`2001:db8:0:7::${i.toString(16)}`);
    expect(await wrong("2001:db8:0:7:ffff::1")).toEqual(tooMany(300));
    expect(await wrong("2001:db8:0:8::1")).toEqual(notFound);
  });

  it("is not charged for looks with the right secret, nor for completions that pass", async () => {
    const source = newSource();
    for (let i = 0; i < 29; i++) await wrong(source);
    const made = await scene.hold();
    for (let i = 0; i < 40; i++) expect(isRefusal(await look(made.id, source))).toBe(false);
    const answer = { ...(await scene.rightAnswer(made)), sourceIp: source };
    expect(await completeHold(scene.checkPorts(), answer, house.now)).toMatchObject({ state: { status: "sent" } });
    expect(await wrong(source)).toEqual(notFound);
    expect(await wrong(source)).toEqual(tooMany(300));
  });

  it("is charged for wrong tokens and solutions as for wrong secrets", async () => {
    const source = newSource();
    for (let i = 0; i < 29; i++) await wrong(source);
    const right = await scene.rightAnswer(await scene.hold());
    const answer = { ...right, sourceIp: source, token: "x" };
    expect(await completeHold(scene.checkPorts(), answer, house.now)).toMatchObject({ detail: "invalid_token" });
    expect(await wrong(source)).toEqual(tooMany(300));
  });
});

describe("a hold", () => {
  const challenge = async (holdId: string) =>
    takeChallenge(
      scene.checkPorts(),
      { holdId, secret: await scene.secret(holdId), sourceIp: newSource() },
      house.now(),
    );
  const fail = async (made: Parameters<HoldScene["rightAnswer"]>[0]) =>
    completeHold(scene.checkPorts(), { ...(await scene.rightAnswer(made)), solutions: [] }, house.now);

  it("gives ten challenges in five minutes; the tenth may still be answered", async () => {
    const made = await scene.hold();
    for (let i = 0; i < 10; i++) expect(await challenge(made.id)).toMatchObject({ challenge: { c: 50 } });
    expect(await challenge(made.id)).toEqual(tooMany(300));
    expect(await scene.complete(made)).toMatchObject({ state: { status: "sent" } });
  });

  it("takes ten challenges and failed completions together, from wherever they come; then a right one has to wait", async () => {
    const made = await scene.hold();
    for (let i = 0; i < 4; i++) expect(isRefusal(await challenge(made.id))).toBe(false);
    for (let i = 0; i < 6; i++) expect(await fail(made)).toMatchObject({ detail: "invalid_solutions" });
    expect(await fail(made)).toEqual(tooMany(300));
    expect(await challenge(made.id)).toEqual(tooMany(300));
    expect(await scene.complete(made)).toEqual(tooMany(300));
    expect(await look(made.id, newSource())).toMatchObject({ state: { status: "awaiting_verification" } });
    toNextWindow();
    expect(await scene.complete(made)).toMatchObject({ state: { status: "sent" } });
  });

  it("is not charged for what came with a wrong secret", async () => {
    const made = await scene.hold();
    for (let i = 0; i < 12; i++) {
      const answer = { ...(await scene.rightAnswer(made)), secret: "wrong" };
      expect(await completeHold(scene.checkPorts(), answer, house.now)).toEqual(notFound);
    }
    expect(await challenge(made.id)).toMatchObject({ challenge: { c: 50 } });
  });

  it("gives ten challenges and no more when all are asked for at once", async () => {
    const made = await scene.hold();
    const answers = await Promise.all(Array.from({ length: 25 }, () => challenge(made.id)));
    expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(10);
  });
});
