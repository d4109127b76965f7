import type { TenantId } from "#base/kernel/tenant.ts";
import { parseConversationId } from "#features/inbox/rules/messages.ts";

/** What a person does with a conversation: the frames `presence` and `presence.updated`. */
export const activityStates = ["reading", "writing", "left"] as const;
export type ActivityState = (typeof activityStates)[number];

/** What a person does now. */
export interface Activity {
  readonly conversationId: string;
  readonly state: ActivityState;
}

/** Of a tenant with more sockets than this no activity is shown: each would cost a post for every socket. */
export const ACTIVITY_SOCKETS_MAX = 50;

/** @returns null for a frame that is none, and for a conversation id that is malformed or another tenant's */
export function parseActivity(tenant: TenantId, frame: object): Activity | null {
  const { conversation_id: conversationId, state } = frame as { conversation_id?: unknown; state?: unknown };
  const knownState = activityStates.find((name) => name === state);
  if (typeof conversationId !== "string" || knownState === undefined) return null;
  return parseConversationId(tenant, conversationId) ? { conversationId, state: knownState } : null;
}
