import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { requestDonePush } from "#features/realtime/request-push.ts";
import type { DonePorts } from "../ports.ts";
import { type ConversationHead, malformedConversationId, parseConversationId } from "../rules/messages.ts";
import { publishConversationChange, recordConversationChange } from "./publish-conversation-change.ts";

/**
 * Marks a conversation as done or removes the mark, publishes that, and pushes it if it changed anything.
 * @param scope that of the caller
 * @returns the conversation afterwards
 */
export async function setConversationDone(
  ports: DonePorts,
  tenant: TenantId,
  { conversationId, done, scope }: { conversationId: string; done: boolean; scope: Scope },
  now: Millis,
): Promise<ConversationHead | Refusal<"live_key_required" | "conversation_not_found" | "conversation_id_cut">> {
  if (scope === "test") return refuse("live_key_required");
  if (!parseConversationId(tenant, conversationId)) return malformedConversationId(conversationId);
  const result = await ports.conversations.setDone(tenant, conversationId, { done, now });
  if (!result) return refuse("conversation_not_found");
  // Also where the mark was as wanted already: a request before this one may have ended before it published its change.
  await publishMark(ports, result.head, now);
  if (result.changed) await requestDonePush(ports, { tenant, conversationId, now });
  return result.head;
}

async function publishMark(ports: DonePorts, head: ConversationHead, now: Millis): Promise<void> {
  const { id: conversationId, ref, doneAt, undoneAt } = head;
  const at = doneAt ?? undoneAt;
  if (at === null) return;
  const change = { tenant: ref.tenant, conversationId, name: JSON.stringify([doneAt ? "done" : "undone", at]), at };
  const eventUlid = await recordConversationChange(ports, change, now);
  if (eventUlid !== null) await publishConversationChange(ports, eventUlid, head, now);
}
