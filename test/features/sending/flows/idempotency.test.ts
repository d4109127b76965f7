import { expect, it } from "vitest";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import type { SendOutcome } from "#platforms/graph/platform.ts";
import { unknownOutcome } from "../../../support/flows/conversation-fixture.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { openReplyFixture, refusedWith, replyFixtures } from "../../../support/flows/reply-fixture.ts";
import { scanItems } from "../../../support/stores/items.ts";

const { testEnv, fixture, renew } = replyFixtures();

const replyWithKey = (rest: object = {}, scope: "live" | "test" = "live") =>
  fixture.sendReply({ idempotencyKey: "key-1", ...rest }, scope);

it("an idempotency key returns its first result for a day and sends nothing again", async () => {
  const first = await replyWithKey();
  expect(first).toHaveProperty("messageId");
  testEnv.advance(DAY - 1);
  expect(await replyWithKey()).toEqual(first);
  expect(fixture.platformCalls).toHaveLength(1);
  testEnv.advance(1);
  await fixture.take({ messageId: `${fixture.tenant}-more` });
  expect(await replyWithKey()).not.toEqual(first);
  expect(fixture.platformCalls).toHaveLength(2);
});

it.each([
  ["a refusal of the platform", refusedWith({ detail: "no" }), { refused: "send_failed", detail: "no" }],
  ["an unknown outcome", unknownOutcome, { refused: "outcome_unknown", detail: "outcome_unknown" }],
] as const)("an idempotency key repeats %s unchanged", async (_name, outcome, answer) => {
  fixture.setPlatformResponse(outcome);
  expect(await replyWithKey()).toEqual(answer);
  expect(await replyWithKey()).toEqual(answer);
  expect(fixture.platformCalls).toHaveLength(1);
});

it("an idempotency key repeats a refusal of the policy after the window has opened", async () => {
  testEnv.advance(DAY);
  expect(await replyWithKey()).toEqual({ refused: "window_closed" });
  await fixture.take({ messageId: `${fixture.tenant}-more` });
  expect(await replyWithKey()).toEqual({ refused: "window_closed" });
});

it("an idempotency key can be used again after a wait for an exhausted budget", async () => {
  await Promise.all(Array.from({ length: 10 }, () => fixture.sendReply()));
  expect(await replyWithKey()).toMatchObject({ refused: "rate_limited" });
  testEnv.advance(10 * SECOND);
  expect(await replyWithKey()).toHaveProperty("messageId");
});

it.each([
  ["another text", { text: "ho" }],
  ["a reply to another message", { replyTo: "m1" }],
  ["attachments", { text: null, attachments: [{ type: "image", url: "https://cdn.example/a.png" }] }],
])("an idempotency key conflicts with a different body: %s", async (_name, rest) => {
  await replyWithKey();
  expect(await replyWithKey(rest)).toEqual({ refused: "idempotency_conflict", detail: "another_request" });
  expect(fixture.platformCalls).toHaveLength(1);
});

it("an idempotency key is separate per scope and tenant", async () => {
  const first = await replyWithKey();
  expect(await replyWithKey({}, "test")).toMatchObject({ messageId: expect.stringMatching(/^mock_mid_/) });
  const other = await openReplyFixture(testEnv);
  expect(await other.sendReply({ idempotencyKey: "key-1" })).not.toEqual(first);
  expect(other.platformCalls).toHaveLength(1);
});

it("an idempotency key conflicts while its first request is in flight: of twenty concurrent requests one sends", async () => {
  const end = Promise.withResolvers<SendOutcome>();
  fixture.setPlatformResponse(() => end.promise);
  const requests = Array.from({ length: 20 }, () => replyWithKey());
  const results: unknown[] = [];
  for (const one of requests) one.then((answer) => results.push(answer));
  await expect.poll(() => results.length, { timeout: 5_000 }).toBe(19);
  end.resolve({ kind: "accepted", messageId: "m" });
  const all = await Promise.all(requests);
  expect(all.filter((one) => "messageId" in one)).toEqual([{ messageId: "m" }]);
  expect(all.filter((one) => "refused" in one)).toEqual(
    Array(19).fill({ refused: "idempotency_conflict", detail: "in_flight" }),
  );
  expect(fixture.platformCalls).toHaveLength(1);
});

it("an idempotency key stores nothing of the message", async () => {
  await replyWithKey({ text: "the secret words" });
  const Items = await scanItems(testEnv.table, `IK#${fixture.tenant}#`);
  expect(Items).toHaveLength(1);
  const text = JSON.stringify(Items);
  for (const part of ["the secret words", "key-1", fixture.id]) expect(text).not.toContain(part);
});

it.each(faultPoints)(
  "a request that fails (%s) at any call is sent once, and its key returns the outcome",
  async (faultPoint) => {
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      await renew();
      const first = await strike.during(() => replyWithKey()).catch((error: unknown) => error);
      const processDied = strike.reached() && faultPoint !== "lost";
      const repeated = await replyWithKey();
      if (!processDied) expect(repeated).toEqual(first);
      testEnv.advance(MINUTE);
      const answer = await replyWithKey();
      expect(fixture.platformCalls.length).toBeLessThanOrEqual(1);
      expect(await fixture.records()).toHaveLength(1);
      const [record] = await fixture.records();
      expect(answer).toEqual(
        record?.st === "sent" ? { messageId: record.m } : { refused: "outcome_unknown", detail: "outcome_unknown" },
      );
      expect(await replyWithKey()).toEqual(answer);
    });
  },
);
