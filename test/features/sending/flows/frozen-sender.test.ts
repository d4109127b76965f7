import { expect, it } from "vitest";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { settleDueSends } from "#features/sending/flows/settle-due.ts";
import type { ApiPorts } from "../../../../functions/api/routes.ts";
import { refusedWith, replyFixtures } from "../../../support/flows/reply-fixture.ts";
import { type FreezePoint, forEachFreezePoint, runFrozen } from "../../../support/processes/frozen-process.ts";

// Lambda freezes a process at any await, and thaws it seconds or days later.

const { testEnv, fixture, renew } = replyFixtures();

const keyed = (ports?: ApiPorts) => fixture.sendReply({ idempotencyKey: "key" }, "live", ports);
const eventTypes = async () => (await fixture.events()).map(({ type }) => type);

/** Freezes the sender of a keyed reply for `span`. While it is frozen, each minute's sweep runs. */
function sendFrozen(point: FreezePoint, span: Millis, whileFrozen: () => Promise<unknown> = async () => {}) {
  return runFrozen(fixture.ports(), point, {
    work: keyed,
    async whileFrozen() {
      testEnv.advance(span);
      if (span > MINUTE) await fixture.sweepSends();
      await whileFrozen();
    },
  });
}

it("a sender that is frozen for 31 seconds at any call makes no platform call after the thaw, and publishes its send", async () => {
  const calls = await forEachFreezePoint(async (point) => {
    await renew();
    let callsBefore = 0;
    const run = await sendFrozen(point, 31 * SECOND, async () => {
      callsBefore = fixture.platformCalls.length;
    });
    if (!run.reached) return run;
    expect.soft([point, fixture.platformCalls.length]).toEqual([point, callsBefore]);
    const [record] = await fixture.records();
    // Without a record nothing was started. Otherwise it ends like the platform call: made before the freeze, or never.
    const published = record ? [callsBefore === 1 ? "message.sent" : "message.failed"] : [];
    expect.soft([point, await eventTypes()]).toEqual([point, published]);
    expect.soft([point, await fixture.dueItems()]).toEqual([point, record ? [] : await fixture.dueItems()]);
    return run;
  });
  expect(calls).toBeGreaterThanOrEqual(13);
});

it("a sender that is frozen for two minutes at any call sends once for its key, which is used again in the meantime", async () => {
  await forEachFreezePoint(async (point) => {
    await renew();
    let callsBefore = 0;
    const run = await sendFrozen(point, 2 * MINUTE, async () => {
      await keyed();
      callsBefore = fixture.platformCalls.length;
    });
    if (!run.reached) return run;
    expect.soft([point, fixture.platformCalls.length]).toEqual([point, callsBefore]);
    expect.soft(callsBefore).toBeLessThanOrEqual(1);
    await fixture.sweepPastDue();
    const answer = await keyed();
    if ("messageId" in answer) expect.soft(fixture.platformCalls).toHaveLength(1);
    // A send that left is published. The sweep may have published it as failed before its sender thawed.
    if (callsBefore === 1) expect.soft(await eventTypes()).toContain("message.sent");
    else expect.soft([point, await eventTypes()]).toEqual([point, ["message.failed"]]);
    expect.soft([point, await fixture.dueItems()]).toEqual([point, []]);
    return run;
  });
});

it("a sender that is frozen for eight days right after it wrote its record makes no platform call", async () => {
  await sendFrozen({ call: "sendRecords.start", when: "after" }, 8 * DAY);
  expect(fixture.platformCalls).toEqual([]);
});

const afterRecord = { call: "sendRecords.start", when: "after" } as const;

it("a sender that is frozen right after it wrote its record for half a minute fails its send, and nothing leaves", async () => {
  const { result } = await sendFrozen(afterRecord, 31 * SECOND);
  const refused = { refused: "not_sent_in_time", detail: "not_sent_in_time" };
  expect(result).toEqual({ status: "fulfilled", value: refused });
  expect(fixture.platformCalls).toEqual([]);
  expect(await fixture.records()).toMatchObject([{ st: "failed" }]);
  expect(await fixture.events()).toMatchObject([
    { type: "message.failed", data: { error: { code: "send_failed", detail: "not_sent_in_time" } } },
  ]);
  expect(await fixture.dueItems()).toEqual([]);
  expect(await keyed()).toEqual(refused);
});

it("a sender that is frozen right after it wrote its record, until the sweep has published it as failed, leaves that event as it is", async () => {
  const unknown = { refused: "outcome_unknown", detail: "outcome_unknown" };
  const { result } = await sendFrozen(afterRecord, 2 * MINUTE);
  expect(result).toEqual({ status: "fulfilled", value: unknown });
  expect(fixture.platformCalls).toEqual([]);
  expect(await fixture.events()).toMatchObject([
    { type: "message.failed", data: { error: { code: "send_failed", detail: "outcome_unknown" } } },
  ]);
});

it("a sender that is frozen right after it wrote its record past the end of the window fails its send, and nothing leaves", async () => {
  testEnv.advance(DAY - 5 * SECOND);
  const { result } = await sendFrozen(afterRecord, 5 * SECOND);
  expect(result).toMatchObject({ value: { refused: "not_sent_in_time" } });
  expect(fixture.platformCalls).toEqual([]);
  expect(await eventTypes()).toEqual(["message.failed"]);
});

it("a sender that is frozen right after it wrote its record for less than half a minute sends it", async () => {
  const { result } = await sendFrozen(afterRecord, 29 * SECOND);
  expect(result).toMatchObject({ value: { messageId: expect.any(String) } });
  expect(fixture.platformCalls).toHaveLength(1);
});

it("a sender that is frozen with the platform's refusal leaves the event that the sweep published", async () => {
  fixture.setPlatformResponse(refusedWith({ detail: "no such person", accountStatus: "needs_reauth" }));
  await sendFrozen({ call: "platform.send", when: "after" }, 2 * MINUTE);
  await fixture.sweepPastDue();
  const events = await fixture.events();
  expect(events.map(({ type }) => type).sort()).toEqual(["account.needs_reauth", "message.failed"]);
  expect(events.find(({ type }) => type === "message.failed")?.data.error.detail).toBe("outcome_unknown");
  expect(await fixture.dueItems()).toEqual([]);
});

// A sweep that freezes while the next sweeps settle the same send.

const platformResponses = {
  sent: { kind: "accepted", messageId: "m_frozen_sweep" },
  refused: refusedWith({ detail: "no such person" }),
  unknown: { kind: "unknown", detail: "outcome_unknown" },
} as const;

/** Leaves a send to the sweep: its process dies when it has stored the platform's response. */
async function leaveSend(): Promise<void> {
  await fixture.sendAndDie("sendRecords.settleSend");
  testEnv.advance(61 * SECOND);
}

it.each([
  ["sent", "message.sent"],
  ["refused", "message.failed"],
  ["unknown", "message.failed"],
] as const)(
  "a sweep that is frozen at any call publishes a send that was %s as the next sweep did, with one event id and body",
  async (response, type) => {
    const calls = await forEachFreezePoint(async (point) => {
      await renew();
      fixture.setPlatformResponse(platformResponses[response]);
      await leaveSend();
      let eventsBefore: unknown = null;
      const run = await runFrozen(fixture.ports(), point, {
        work: (ports) => settleDueSends(ports, testEnv.now()),
        async whileFrozen() {
          testEnv.advance(MINUTE);
          await fixture.sweepSends();
          eventsBefore = await fixture.events();
          testEnv.advance(HOUR);
        },
      });
      if (!run.reached) return run;
      await fixture.sweepSends();
      const events = await fixture.events();
      expect.soft([point, events.map((event) => event.type)]).toEqual([point, [type]]);
      expect.soft([point, events]).toEqual([point, eventsBefore]);
      expect.soft([point, await fixture.dueItems()]).toEqual([point, []]);
      expect.soft(fixture.platformCalls).toHaveLength(1);
      return run;
    });
    expect(calls).toBeGreaterThanOrEqual(6);
  },
);
