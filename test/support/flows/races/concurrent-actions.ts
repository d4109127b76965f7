import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { replayWindow } from "#features/delivery/flows/replay-window.ts";
import { replayDelivery } from "#features/delivery/replay.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { completeHold } from "#features/holds/flows/complete.ts";
import { type CreatedHold, createHold } from "#features/holds/flows/create.ts";
import type { CheckPagePorts } from "#features/holds/ports.ts";
import { holdSecret } from "#features/holds/rules/holds.ts";
import { checkAttemptStore } from "#features/holds/store/check-attempts.ts";
import { fetchProfile } from "#features/inbox/flows/fetch-profile.ts";
import { tenantCaller } from "../data-subject.ts";
import type { ErasureFixture } from "../erasure-fixture.ts";
import { checkPageDoubles, easyChallengeToken, newSourceIp, solveChallenge } from "../hold-fixture.ts";
import type { TestEnv } from "../test-env.ts";

/** Actions of other actors on the erasure fixture's person. Each resolves to whether it had an effect. */
export function concurrentActions(
  testEnv: TestEnv,
  { tenant, conversation, endpointId, api, profilePorts, failedEvents }: ErasureFixture,
) {
  const caller = tenantCaller(tenant);
  const actor = { caller, ip: null };
  const checkPagePorts: CheckPagePorts = {
    ...api,
    checkAttempts: checkAttemptStore(testEnv.table),
    ...checkPageDoubles,
  };

  const heldIds: string[] = [];

  return {
    /** The IDs of all holds created here. */
    heldIds: heldIds as readonly string[],

    /** Replays the first failed delivery. */
    async replayOne(at: Millis): Promise<boolean> {
      const request = {
        endpointId,
        deliveryId: deliveryId(failedEvents[0] ?? "", endpointId),
        force: false,
        author: actor,
      };
      return !isRefusal(await replayDelivery(api, tenant, request, at));
    },

    /** Replays every delivery that failed within a second of `at`. */
    async replayAll(at: Millis): Promise<boolean> {
      const window = {
        from: at - SECOND,
        to: at + SECOND,
        statuses: ["dlq", "failed"],
        force: false,
        after: null,
        limit: 100,
      } as const;
      const replayed = await replayWindow(api, { tenant, endpointId, window, author: actor, now: at });
      return !isRefusal(replayed) && replayed.enqueued > 0;
    },

    /** Creates a hold; null when that is refused. */
    async hold(at: Millis): Promise<CreatedHold | null> {
      const message = { conversationId: conversation, text: "typed", replyTo: null, actorId: "console:usr_1" };
      const hold = await createHold(
        api,
        actor,
        message,
        startRequestTime(() => at),
      );
      if (isRefusal(hold)) return null;
      heldIds.push(hold.id);
      return hold;
    },

    /** Passes the verification of a hold. */
    async check({ id, expiresAt }: CreatedHold, at: Millis): Promise<boolean> {
      const token = easyChallengeToken({ holdId: id, expires: expiresAt });
      const secret = holdSecret(await api.holdKeys(), id);
      const answer = { holdId: id, secret, sourceIp: newSourceIp(), token, solutions: solveChallenge(token) };
      const completed = await completeHold(
        checkPagePorts,
        answer,
        startRequestTime(() => at),
      );
      return !isRefusal(completed) && completed.state.status === "sent";
    },

    /** Fetches the person's profile. */
    lookUp: (at: Millis) => fetchProfile(profilePorts, { tenant, conversationId: conversation }, at),
  };
}
