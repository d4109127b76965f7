import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import type { ApiPorts } from "../../../../functions/api/routes.ts";
import { replyFixtures } from "../../../support/flows/reply-fixture.ts";
import { interceptCalls } from "../../../support/processes/port-calls.ts";
import { answerOf, observePorts } from "../../../support/processes/work-left.ts";
import { liveKeyOf, testApp } from "../../../support/routes/test-app.ts";

// What a reply answers when its request runs out of time.

const REMAINING = 28_500;
const { testEnv, fixture, renew } = replyFixtures();
afterEach(() => void vi.useRealTimers());

/** Replies with an idempotency key. */
async function reply(ports: ApiPorts, remaining = REMAINING) {
  const app = testApp(testEnv, ports, liveKeyOf(fixture.tenant));
  const body = JSON.stringify({ conversation_id: fixture.id, text: "hi" });
  const init = { method: "POST", body, headers: { "idempotency-key": "key" } };
  const request = new Request("http://gateway/v1/messages/reply", init);
  const response = await app.fetch(request, { remaining });
  return { status: response.status, body: (await response.json()) as object };
}

/**
 * Replies with ports of which one call never ends, and lets the time of the request pass.
 * @param thaw when the call is made after all; default: never
 */
async function replyUntilDeadline(hangingCall: string, thaw: Promise<void> = new Promise(() => {})) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const reached = Promise.withResolvers<void>();
  const calls: string[] = [];
  const ports = interceptCalls(fixture.ports(), (name, call) => {
    calls.push(name);
    if (name !== hangingCall) return call();
    reached.resolve();
    return thaw.then(call);
  });
  const response = reply(ports);
  await reached.promise;
  const callsInTime = calls.length;
  testEnv.advance(REMAINING);
  await vi.advanceTimersByTimeAsync(REMAINING);
  return { ...(await response), lateCalls: calls.slice(callsInTime) };
}

const outcomeUnknown = { status: 502, body: { ok: false, error: { code: "send_failed", detail: "outcome_unknown" } } };

it.each([
  "sendRecords.start",
  "platform.send",
  "sendRecords.settleSend",
  "outboundMessages.record",
  "events.send",
  "dueSends.remove",
])(
  "a reply at the end of its request's time is 502 outcome_unknown once its record may stand: %s hangs",
  async (call) => {
    expect(await replyUntilDeadline(call)).toMatchObject({ ...outcomeUnknown, lateCalls: [] });
  },
);

it("a reply at the end of its request's time is 200 when only the result of its key cannot be stored", async () => {
  expect(await replyUntilDeadline("idempotencyKeys.saveResult")).toMatchObject({ status: 200 });
});

it.each(["dueSends.put", "sendRecords.start", "dueSends.remove"])(
  "a reply at the end of its request's time begins no call after the response: %s stands still",
  async (call) => {
    const thaw = Promise.withResolvers<void>();
    await replyUntilDeadline(call, thaw.promise);
    vi.useRealTimers();
    const written = [await fixture.dueItems(), await fixture.records()];
    testEnv.advance(2 * HOUR);
    thaw.resolve();
    for (let turn = 0; turn < 200; turn++) await nextTurn();
    expect([await fixture.dueItems(), await fixture.records()]).toEqual(written);
  },
);

it("a reply at the end of its request's time is 500 before there is a record, and nothing is sent", async () => {
  expect(await replyUntilDeadline("dueSends.put")).toMatchObject({ status: 500 });
  expect([fixture.platformCalls, await fixture.records()]).toEqual([[], []]);
});

it("the platform is not called when the rest of the time is too short for its answer", async () => {
  // Ten seconds for the platform, four to store the outcome, half a second to answer.
  expect(await reply(fixture.ports(), 14.5 * SECOND - 1)).toMatchObject({ status: 500 });
  expect([fixture.platformCalls, await fixture.records()]).toEqual([[], []]);
  await renew();
  expect(await reply(fixture.ports(), 14.5 * SECOND)).toMatchObject({ status: 200 });
});

it("the platform has until two seconds before the end, if it fetches a file", async () => {
  await reply(fixture.ports());
  // Half a second to answer, two seconds to store the outcome.
  expect(fixture.platformCalls[0]?.endsBy).toBe(testEnv.now() + REMAINING - 2.5 * SECOND);
});

it("the platform has answered and its answer is stored before the request answers", async () => {
  const ports = observePorts(fixture.ports());
  expect(await answerOf(() => reply(ports))).toMatchObject({ status: 200 });
});

it.each(["vault.open", "platformFor", "feedShards"])(
  "a reply that fails before it starts leaves no due item being written: %s fails",
  async (failing) => {
    const write = Promise.withResolvers<void>();
    const intercepted = interceptCalls(fixture.ports(), async (name, call) => {
      if (name === failing) throw new Error("injected");
      if (name === "dueSends.put") await write.promise;
      return call();
    });
    const failingPlatform: ApiPorts["platformFor"] = async () => {
      throw new Error("injected");
    };
    const ports = observePorts(
      failing === "platformFor" ? { ...intercepted, platformFor: failingPlatform } : intercepted,
    );
    const response = answerOf(() => reply(ports));
    response.catch(() => {});
    // Enough for an answer that does not wait for the write.
    for (let i = 0; i < 50; i++) await nextTurn();
    write.resolve();
    expect(await response).toMatchObject({ status: 500 });
    // The sweep finds the item, because it was written in time.
    expect(await fixture.dueItems()).toHaveLength(1);
    testEnv.advance(2 * MINUTE);
    await fixture.sweepSends();
    expect([await fixture.dueItems(), fixture.platformCalls]).toEqual([[], []]);
  },
);
