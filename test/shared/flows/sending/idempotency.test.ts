import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DAY, MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import type { SendOutcome } from "../../../../shared/platforms/platform.ts";
import { lost } from "../support/both-sides.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Outbox, openOutbox, refusing } from "../support/outbox.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

let house: House;
let outbox: Outbox;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  house.turn(MINUTE);
  outbox = await openOutbox(house);
});

const keyed = (rest: object = {}, scope: "live" | "test" = "live") =>
  outbox.reply({ idempotencyKey: "key-1", ...rest }, scope);

describe("a key", () => {
  it("answers its first answer for a day, and sends nothing again", async () => {
    const first = await keyed();
    expect(first).toHaveProperty("messageId");
    house.turn(DAY - 1);
    expect(await keyed()).toEqual(first);
    expect(outbox.asked).toHaveLength(1);
    house.turn(1);
    await outbox.take({ messageId: `${outbox.tenant}-more` });
    expect(await keyed()).not.toEqual(first);
    expect(outbox.asked).toHaveLength(2);
  });

  it.each([
    ["what the platform refused", refusing({ detail: "no" }), { refused: "send_failed", detail: "no" }],
    ["what nobody knows the end of", lost, { refused: "outcome_unknown", detail: "outcome_unknown" }],
  ] as const)("answers %s in the same words", async (_name, outcome, answer) => {
    outbox.answers(outcome);
    expect(await keyed()).toEqual(answer);
    expect(await keyed()).toEqual(answer);
    expect(outbox.asked).toHaveLength(1);
  });

  it("answers a refusal of the policy, though the window has opened since", async () => {
    house.turn(DAY);
    expect(await keyed()).toEqual({ refused: "window_closed" });
    await outbox.take({ messageId: `${outbox.tenant}-more` });
    expect(await keyed()).toEqual({ refused: "window_closed" });
  });

  it("that met an exhausted budget may be used again once the wait is over", async () => {
    await Promise.all(Array.from({ length: 10 }, () => outbox.reply()));
    expect(await keyed()).toMatchObject({ refused: "rate_limited" });
    house.turn(10 * SECOND);
    expect(await keyed()).toHaveProperty("messageId");
  });

  it.each([
    ["another text", { text: "ho" }],
    ["another message answered", { replyTo: "m1" }],
    ["attachments", { text: null, attachments: [{ type: "image", url: "https://cdn.example/a.png" }] }],
  ])("with another body is a conflict: %s", async (_name, rest) => {
    await keyed();
    expect(await keyed(rest)).toEqual({ refused: "idempotency_conflict", detail: "another_request" });
    expect(outbox.asked).toHaveLength(1);
  });

  it("is another one for another key's scope, and for another tenant", async () => {
    const first = await keyed();
    expect(await keyed({}, "test")).toMatchObject({ messageId: expect.stringMatching(/^mock_mid_/) });
    const other = await openOutbox(house);
    expect(await other.reply({ idempotencyKey: "key-1" })).not.toEqual(first);
    expect(other.asked).toHaveLength(1);
  });

  it("is a conflict while its first request is in flight, and of twenty at once one sends", async () => {
    const end = Promise.withResolvers<SendOutcome>();
    outbox.answers(() => end.promise);
    const many = Array.from({ length: 20 }, () => keyed());
    const told: unknown[] = [];
    for (const one of many) one.then((answer) => told.push(answer));
    await expect.poll(() => told.length, { timeout: 5_000 }).toBe(19);
    end.resolve({ kind: "accepted", messageId: "m" });
    const all = await Promise.all(many);
    expect(all.filter((one) => "messageId" in one)).toEqual([{ messageId: "m" }]);
    expect(all.filter((one) => "refused" in one)).toEqual(
      Array(19).fill({ refused: "idempotency_conflict", detail: "in_flight" }),
    );
    expect(outbox.asked).toHaveLength(1);
  });

  it("keeps nothing of the message", async () => {
    await keyed({ text: "the secret words" });
    const { Items = [] } = await house.table.client.send(
      new ScanCommand({
        TableName: house.table.name,
        FilterExpression: "begins_with(PK, :ik)",
        ExpressionAttributeValues: { ":ik": `IK#${outbox.tenant}#` },
      }),
    );
    expect(Items).toHaveLength(1);
    const text = JSON.stringify(Items);
    for (const part of ["the secret words", "key-1", outbox.id]) expect(text).not.toContain(part);
  });
});

it.each(strikes)(
  "a request that is struck (%s) at any call is sent once, and its key ends with what became of it",
  async (strike) => {
    for (let k = 0; ; k++) {
      outbox = await openOutbox(house);
      const strikes = strikeAt(house.clients, strike, k);
      const first = await keyed().catch((error: unknown) => error);
      const reached = strikes.reached();
      strikes.end();
      const dead = reached && strike !== "lost";
      const at = await keyed();
      if (!dead) expect(at).toEqual(first);
      house.turn(MINUTE);
      const answer = await keyed();
      expect(outbox.asked.length).toBeLessThanOrEqual(1);
      expect(await outbox.records()).toHaveLength(1);
      const [record] = await outbox.records();
      expect(answer).toEqual(
        record?.st === "sent" ? { messageId: record.m } : { refused: "outcome_unknown", detail: "outcome_unknown" },
      );
      expect(await keyed()).toEqual(answer);
      if (!reached) return;
    }
  },
);
