import { expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { settleDueSends } from "#features/sending/flows/settle-due.ts";
import { openReplyFixture, type ReplyFixture, refusedWith } from "../../../support/flows/reply-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { forEachFreezePoint, runFrozen } from "../../../support/processes/frozen-process.ts";
import { interceptCalls } from "../../../support/processes/port-calls.ts";

// A sweep that Lambda freezes at any await, while the next sweeps settle the same send.

const testEnv = openedOnce(openTestEnv);

const platformResponses = {
  sent: { kind: "accepted", messageId: "m_frozen_sweep" },
  refused: refusedWith({ detail: "no such person" }),
  unknown: { kind: "unknown", detail: "outcome_unknown" },
} as const;

/** Leaves a send to the sweep: its process dies when it has stored the platform's response. */
async function leaveSend(fixture: ReplyFixture): Promise<void> {
  const died = Promise.withResolvers<void>();
  const ports = interceptCalls(fixture.ports(), async (name, call) => {
    const answer = await call();
    if (name !== "sendRecords.settleSend") return answer;
    died.resolve();
    return new Promise(() => {});
  });
  void fixture.sendReply({}, "live", ports);
  await died.promise;
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
      const fixture = await openReplyFixture(testEnv);
      fixture.setPlatformResponse(platformResponses[response]);
      await leaveSend(fixture);
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
