import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome, waitForService } from "#base/queues/record-outcome.ts";
import { accountToken } from "#features/accounts/platform-calls.ts";
import { requestConversationPush } from "#features/realtime/request-push.ts";
import type { ProfileOutcome } from "#platforms/graph/platform.ts";
import type { ProfilePorts } from "../ports.ts";
import type { ProfileMessage } from "../profile-queue.ts";
import type { ConversationHead } from "../rules/messages.ts";
import {
  buildProfile,
  isFirstEventUnnamed,
  isFirstProfile,
  isProfileDue,
  isRefusalOutdated,
  type Profile,
  profileNames,
  storedNames,
} from "../rules/profiles.ts";
import type { PlacedMessage } from "../store/name-waits.ts";
import { endNameWaits, republishNamed } from "./end-name-waits.ts";
import { publishConversationChange, recordConversationChange } from "./publish-conversation-change.ts";

/** Names the arrival of a conversation's first profile. */
const PROFILE_CHANGE = JSON.stringify(["profile"]);

/** @property repeated a run before this one may have died after any of its writes */
type ProfileRequest = ProfileMessage & { readonly repeated?: boolean };

/**
 * Looks up the profile of a conversation's person, names the person in the messages whose events wait for it, and stores it.
 * It waits for a platform that does not answer or that limits calls. Any other lookup without a result changes nothing and
 * is not retried: the person's next message requests it again.
 */
export async function fetchProfile(ports: ProfilePorts, message: ProfileRequest, now: Millis): Promise<RecordOutcome> {
  const { tenant, conversationId, awaited = false, repeated = false } = message;
  const awaiting = awaited ? await ports.nameWaits.firstMessages(tenant, conversationId, now) : null;
  if (repeated && awaiting) await republishNamed(ports, tenant, awaiting);
  const head = await ports.conversations.get(tenant, conversationId, now);
  if (!head) return drop("gone");
  const { participantProfile: state, participantProfileAt: fetchedAt, lastInboundAt } = head;
  if (!isProfileDue(state, fetchedAt, now) && !isRefusalOutdated(state, fetchedAt, lastInboundAt)) {
    await completeStored(ports, { head, messages: awaiting, repeated }, now);
    return drop("stale");
  }
  const account = await ports.accounts.get(tenant, head.ref.account);
  if (!account || account.status === "needs_reauth" || account.status === "restricted") return drop("gone");

  const [token, platform, messages] = await allDone([
    accountToken(ports.vault, tenant, account),
    ports.platformFor(account),
    awaiting ?? readFirstMessages(ports, { head, repeated }, now),
  ]);
  const outcome = await platform.fetchProfile(account, token, head.ref.participantId);
  if (outcome.kind === "later") return waitForService("profile", outcome.coolDownMs);
  const profile = toProfile(outcome, now);
  if (profile) {
    const current = await ports.accounts.get(tenant, account);
    // The account may have been disconnected during the call.
    if (!current) return drop("gone");
    const named = await endNameWaits(ports, tenant, { messages, names: profileNames(profile) }, now);
    const isUpdate = isFirstProfile(head, profile) && isFirstEventUnnamed(named.map(({ message }) => message));
    const change = { tenant, conversationId, name: PROFILE_CHANGE, at: now };
    // Recorded before the profile is stored: a run after this one finds it, and publishes it.
    const eventUlid = isUpdate ? await recordConversationChange(ports, change, now) : null;
    await ports.profiles.save(conversationId, profile, now);
    await requestConversationPush(ports, { tenant, account: current, id: conversationId, now });
    if (eventUlid !== null) await publishProfile(ports, { tenant, conversationId, eventUlid }, now);
  }
  ports.log({ event: "profile.fetched", outcome: profile?.state ?? "unknown", platform: account.platform });
  return done;
}

/** The oldest messages of a person who has written and of whom nothing is known; none of another person. */
async function readFirstMessages(
  ports: ProfilePorts,
  { head, repeated }: { readonly head: ConversationHead; readonly repeated: boolean },
  now: Millis,
): Promise<readonly PlacedMessage[]> {
  const { tenant } = head.ref;
  if (storedNames(head) !== null || head.lastInboundAt === null) return [];
  const messages = await ports.nameWaits.firstMessages(tenant, head.id, now);
  if (repeated) await republishNamed(ports, tenant, messages);
  return messages;
}

/**
 * Completes what another lookup has stored: it may have read the conversation before these messages came, and a run of this
 * one may have died before it published and pushed the conversation.
 * @param messages those that may wait for the name; null where none does
 */
async function completeStored(
  ports: ProfilePorts,
  {
    head,
    messages,
    repeated,
  }: {
    readonly head: ConversationHead;
    readonly messages: readonly PlacedMessage[] | null;
    readonly repeated: boolean;
  },
  now: Millis,
): Promise<void> {
  const { tenant } = head.ref;
  const account = repeated ? await ports.accounts.get(tenant, head.ref.account) : null;
  if (account) await requestConversationPush(ports, { tenant, account, id: head.id, now });
  const names = storedNames(head);
  const named = messages && (await endNameWaits(ports, tenant, { messages, names }, now));
  const isUnnamed =
    named && names && head.lastInboundAt !== null && isFirstEventUnnamed(named.map(({ message }) => message));
  const change = { tenant, conversationId: head.id, name: PROFILE_CHANGE, at: now };
  const eventUlid = isUnnamed
    ? await recordConversationChange(ports, change, now)
    : repeated
      ? await ports.eventBodies.findRef(head.id, PROFILE_CHANGE)
      : null;
  if (eventUlid !== null) await publishConversationChange(ports, eventUlid, head, now);
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
