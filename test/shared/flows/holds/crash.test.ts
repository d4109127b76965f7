import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completeHold } from "../../../../shared/flows/holds/complete.ts";
import { createHold } from "../../../../shared/flows/holds/create.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { CANARY, openHoldScene, SOURCE } from "../support/hold-scene.ts";
import { type House, openHouse } from "../support/house.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe("a completion", () => {
  it.each(strikes)(
    "struck (%s) at any call to AWS sends at most once, and its hold has ended when its minute is over",
    async (strike) => {
      for (let k = 0; ; k++) {
        const scene = await openHoldScene(house);
        const made = await scene.hold();
        const answer = await scene.rightAnswer(made);
        const ports = scene.checkPorts();
        const struck = strikeAt(house.clients, strike, k);
        const done = await completeHold(ports, answer, house.now).catch((error: unknown) => error);
        struck.end();

        // The person presses again, at once and once it has been a minute.
        const again = await scene.complete(made);
        house.turn(MINUTE + 1);
        const later = await scene.complete(made);
        expect(scene.calls.length).toBeLessThanOrEqual(1);
        const standing = await scene.read(made.id);
        if (isRefusal(standing)) throw new Error(standing.refused);
        const { state, hold } = standing;
        expect(["sent", "failed"]).toContain(state.status);
        expect(hold.content).toBeNull();
        // Whoever was told of an end was told the truth.
        for (const told of [done, again, later]) {
          if (typeof told !== "object" || told === null || !("state" in told)) continue;
          const { status } = (told as typeof standing).state;
          if (status !== "sending") expect(status).toBe(state.status);
        }
        if (state.status === "sent") expect(scene.calls).toHaveLength(1);
        if (scene.calls.length === 0) expect(state.status).toBe("failed");
        if (!struck.reached()) {
          expect(state.status).toBe("sent");
          // Tries, hold, tries, head, claim, audit, the plan's three reads, the send, the settling.
          expect(k).toBeGreaterThanOrEqual(12);
          return;
        }
      }
    },
    60_000,
  );
});

describe("holding", () => {
  it.each(strikes)("struck (%s) at any call, and asked for again with its key, is held once", async (strike) => {
    for (let k = 0; ; k++) {
      const scene = await openHoldScene(house);
      const asked = {
        conversationId: scene.conversation,
        replyTo: null,
        actorId: "a",
        text: CANARY,
        idempotencyKey: "key",
      };
      const by = { caller: scene.caller, ip: SOURCE };
      const struck = strikeAt(house.clients, strike, k);
      const first = await createHold(scene.apiPorts(), by, asked, house.now()).catch(() => null);
      struck.end();
      house.turn(MINUTE);
      const second = await createHold(scene.apiPorts(), by, asked, house.now());
      if (isRefusal(second)) throw new Error(second.refused);
      if (first) expect(second).toEqual(first);
      expect(await scene.audits()).toHaveLength(1);
      expect(await scene.read(second.id)).toMatchObject({ state: { status: "awaiting_verification" } });
      if (!struck.reached()) {
        expect(k).toBeGreaterThanOrEqual(5);
        return;
      }
    }
  });
});
