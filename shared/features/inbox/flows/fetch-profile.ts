import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome, waitForService } from "#base/queues/record-outcome.ts";
import { accountToken } from "#features/accounts/platform-calls.ts";
import { requestConversationPush } from "#features/realtime/request-push.ts";
import type { ProfileOutcome } from "#platforms/graph/platform.ts";
import type { ProfilePorts } from "../ports.ts";
import type { ProfileMessage } from "../profile-queue.ts";
import { buildProfile, isFirstProfile, isProfileDue, isRefusalOutdated, type Profile } from "../rules/profiles.ts";
import { publishConversationChange, recordConversationChange } from "./publish-conversation-change.ts";

/** Names the arrival of a conversation's first profile. */
const PROFILE_CHANGE = JSON.stringify(["profile"]);

/**
 * Looks up the profile of a conversation's person and stores it. It waits for a platform that does not answer or that
 * limits calls. Any other lookup without a result changes nothing and is not retried: the person's next message requests
 * it again.
 * @param message `repeated`: a run before this one may have died after it stored the profile and before it published it and
 *   requested the push of the conversation
 */
export async function fetchProfile(
  ports: ProfilePorts,
  message: ProfileMessage & { readonly repeated?: boolean },
  now: Millis,
): Promise<RecordOutcome> {
  const { tenant, conversationId, repeated = false } = message;
  const head = await ports.conversations.get(tenant, conversationId, now);
  if (!head) return drop("gone");
  const { participantProfile: state, participantProfileAt: fetchedAt, lastInboundAt } = head;
  if (!isProfileDue(state, fetchedAt, now) && !isRefusalOutdated(state, fetchedAt, lastInboundAt)) {
    const account = repeated ? await ports.accounts.get(tenant, head.ref.account) : null;
    if (account) await requestConversationPush(ports, { tenant, account, id: conversationId, now });
    const recorded = repeated ? await ports.eventBodies.findRef(conversationId, PROFILE_CHANGE) : null;
    if (recorded !== null) await publishConversationChange(ports, recorded, head, now);
    return drop("stale");
  }
  const account = await ports.accounts.get(tenant, head.ref.account);
  if (!account || account.status === "needs_reauth" || account.status === "restricted") return drop("gone");

  const [token, platform] = await allDone([accountToken(ports.vault, tenant, account), ports.platformFor(account)]);
  const outcome = await platform.fetchProfile(account, token, head.ref.participantId);
  if (outcome.kind === "later") return waitForService("profile", outcome.coolDownMs);
  const profile = toProfile(outcome, now);
  if (profile) {
    const current = await ports.accounts.get(tenant, account);
    // The account may have been disconnected during the call.
    if (!current) return drop("gone");
    const change = { tenant, conversationId, name: PROFILE_CHANGE, at: now };
    // Recorded before the profile is stored: a run after this one finds it, and publishes it.
    const eventUlid = isFirstProfile(head, profile) ? await recordConversationChange(ports, change, now) : null;
    await ports.profiles.save(conversationId, profile, now);
    await requestConversationPush(ports, { tenant, account: current, id: conversationId, now });
    if (eventUlid !== null) await publishProfile(ports, { tenant, conversationId, eventUlid }, now);
  }
  ports.log({ event: "profile.fetched", outcome: profile?.state ?? "unknown", platform: account.platform });
  return done;
}

/** Publishes the conversation with its profile, unless it is gone. */
async function publishProfile(
  ports: ProfilePorts,
  { tenant, conversationId, eventUlid }: { tenant: TenantId; conversationId: string; eventUlid: string },
  now: Millis,
): Promise<void> {
  const head = await ports.conversations.get(tenant, conversationId, now);
  if (head) await publishConversationChange(ports, eventUlid, head, now);
}

function toProfile(outcome: Exclude<ProfileOutcome, { kind: "later" }>, now: Millis): Profile | null {
  if (outcome.kind === "unknown") return null;
  return outcome.kind === "found" ? buildProfile(outcome, now) : { state: "unavailable" };
}
