import { upTo } from "../../../../functions/http/deadline.ts";
import { deliveryId } from "../../../../shared/domain/delivery/deliveries.ts";
import { holdSecret } from "../../../../shared/domain/holds/holds.ts";
import { replayDelivery } from "../../../../shared/flows/delivery/replay.ts";
import { replayWindow } from "../../../../shared/flows/delivery/replay-window.ts";
import { completeHold } from "../../../../shared/flows/holds/complete.ts";
import { createHold, type MadeHold } from "../../../../shared/flows/holds/create.ts";
import { fetchProfile } from "../../../../shared/flows/inbox/fetch-profile.ts";
import type { CheckPorts } from "../../../../shared/flows/ports.ts";
import { randomToken } from "../../../../shared/kernel/bytes.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { type Millis, SECOND } from "../../../../shared/kernel/time.ts";
import { triesStore } from "../../../../shared/stores/holds/verification-attempts.ts";
import type { Scene } from "./erase-scene.ts";
import { callerOf } from "./erasing.ts";
import { CHALLENGE_KEY, easyToken, newSource, solve } from "./hold-scene.ts";
import type { House } from "./house.ts";

/** What becomes of a scene's person by others' hands. Each tells whether it came to anything. */
export function crowdOf(house: House, { tenant, conversation, endpointId, api, profilePorts, givenUp }: Scene) {
  const caller = callerOf(tenant);
  const asker = { caller, ip: null };
  const check: CheckPorts = {
    ...api,
    tries: triesStore(house.table),
    challengeKey: async () => CHALLENGE_KEY,
    random: randomToken,
    upTo,
    page: new Map(),
  };

  const held: string[] = [];

  return {
    /** Every hold there ever was. */
    held: held as readonly string[],

    /** The delivery that was given up first is replayed. */
    async replayOne(at: Millis): Promise<boolean> {
      const request = { endpointId, deliveryId: deliveryId(givenUp[0] ?? "", endpointId), force: false, ...asker };
      return !isRefusal(await replayDelivery(api, tenant, request, at));
    },

    /** All that was given up within the second is replayed. */
    async replayAll(at: Millis): Promise<boolean> {
      const window = {
        from: at - SECOND,
        to: at + SECOND,
        statuses: ["dlq", "failed"],
        force: false,
        after: null,
        limit: 100,
      } as const;
      const replayed = await replayWindow(api, tenant, endpointId, window, asker, at);
      return !isRefusal(replayed) && replayed.enqueued > 0;
    },

    /** What someone typed is held; null where it may not be. */
    async hold(at: Millis): Promise<MadeHold | null> {
      const asked = { conversationId: conversation, text: "typed", replyTo: null, actorId: "console:usr_1" };
      const made = await createHold(api, asker, asked, at);
      if (isRefusal(made)) return null;
      held.push(made.id);
      return made;
    },

    /** Whoever typed it passes the check. */
    async check({ id, expiresAt }: MadeHold, at: Millis): Promise<boolean> {
      const token = easyToken({ holdId: id, expires: expiresAt });
      const secret = holdSecret(await api.holdKey(), id);
      const answer = { holdId: id, secret, sourceIp: newSource(), token, solutions: solve(token) };
      const ended = await completeHold(check, answer, () => at);
      return !isRefusal(ended) && ended.state.status === "sent";
    },

    /** The person is looked up. */
    lookUp: (at: Millis) => fetchProfile(profilePorts, { tenant, conversationId: conversation }, at),
  };
}
