import { allDone } from "#base/kernel/parallel.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import { type ConversationHead, readConversationId } from "#features/inbox/rules/conversations.ts";
import type { UploadPorts } from "../ports.ts";

/** The conversation of an upload with its account. Refuses one that is gone, and one of a disconnected account. */
export async function getUploadConversation(
  ports: Pick<UploadPorts, "conversations" | "accounts">,
  conversationId: string,
  now: Millis,
): Promise<{ readonly head: ConversationHead; readonly account: Account } | Refusal<"conversation_not_found">> {
  const ref = readConversationId(conversationId);
  if (!ref) return refuse("conversation_not_found");
  const [head, account] = await allDone([
    ports.conversations.get(ref.tenant, conversationId, now),
    ports.accounts.get(ref.tenant, ref.account),
  ]);
  return head && account ? { head, account } : refuse("conversation_not_found");
}
