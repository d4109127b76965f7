import { invalidField, isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Caller, refuseActor, refuseTenant } from "#features/access/rules/callers.ts";
import { type AccountRef, accountKey } from "#features/accounts/rules/accounts.ts";
import { readConversationId } from "#features/inbox/rules/conversations.ts";
import type { Scope } from "#features/inbox/rules/messages.ts";
import type { AttachmentPorts } from "./ports.ts";
import { type RequestedContent, readSendContent, type SendContent } from "./rules/send-content.ts";

/** A message as a request or a hold has it, with either `text` or `attachments`. */
export interface WrittenMessage extends RequestedContent {
  readonly conversationId: string;
  /** The platform's id of the message to reply to. */
  readonly replyTo: string | null;
  /** The person who typed the message. Null where the request names no actor, absent for a reply. */
  readonly actorId?: string | null;
}

/** A message whose conversation and content were read. */
export interface ReadMessage {
  readonly tenant: TenantId;
  readonly accountRef: AccountRef;
  readonly conversationId: string;
  readonly scope: Scope;
  readonly content: SendContent;
  readonly replyTo: string | null;
  /** Null for a reply, and where the request names no actor. */
  readonly actorId: string | null;
}

type AdmissionRefusal = Refusal<"conversation_not_found" | "invalid_request" | "tenant_suspended">;

/** Reads a message's conversation and content. */
export function readMessage(
  message: WrittenMessage,
  scope: Scope,
): ReadMessage | Refusal<"conversation_not_found" | "invalid_request"> {
  const { conversationId, replyTo, actorId = null } = message;
  const ref = readConversationId(conversationId);
  if (!ref) return refuse("conversation_not_found");
  const content = readSendContent(message, ref.account.platform, scope);
  if (isRefusal(content)) return content;
  return { tenant: ref.tenant, accountRef: ref.account, conversationId, scope, content, replyTo, actorId };
}

/**
 * Reads a message that a caller may send as far as it alone decides: the conversation is of a tenant of the caller, the
 * content is valid, and its attachments are of the conversation's account. Reads the table for uploaded attachments only.
 */
export function admitMessage(
  ports: AttachmentPorts,
  caller: Caller,
  request: { readonly message: WrittenMessage & { readonly actorId?: never }; readonly now: Millis },
): Promise<ReadMessage | AdmissionRefusal>;
export function admitMessage(
  ports: AttachmentPorts,
  caller: Caller,
  request: { readonly message: WrittenMessage; readonly now: Millis },
): Promise<ReadMessage | AdmissionRefusal | Refusal<"actor_forbidden">>;
export async function admitMessage(
  ports: AttachmentPorts,
  caller: Caller,
  { message, now }: { readonly message: WrittenMessage; readonly now: Millis },
): Promise<ReadMessage | AdmissionRefusal | Refusal<"actor_forbidden">> {
  const ref = readConversationId(message.conversationId);
  if (!ref) return refuse("conversation_not_found");
  const refusal =
    refuseTenant(caller, ref.tenant, "conversation_not_found") ?? refuseActor(caller, message.actorId ?? null);
  if (refusal) return refusal;
  const read = readMessage(message, caller.scope);
  if (isRefusal(read)) return read;
  return (await refuseForeignAttachment(ports, read, now)) ?? read;
}

/**
 * Refuses an attachment that the tenant uploaded for another account: the platforms give an upload to its account only.
 * An attachment that the tenant did not upload here is not refused, because the platform knows it or refuses it. Reads
 * nothing for content without an upload.
 */
async function refuseForeignAttachment(
  ports: AttachmentPorts,
  { tenant, accountRef, content }: ReadMessage,
  now: Millis,
): Promise<Refusal<"invalid_request"> | null> {
  if (content.kind === "text") return null;
  const uploads = content.attachments.flatMap((attachment, index) =>
    "attachmentId" in attachment ? [{ id: attachment.attachmentId, index }] : [],
  );
  if (uploads.length === 0) return null;
  const ids = uploads.map(({ id }) => id);
  const owners = await ports.attachmentOwners.getAccountKeys(tenant, ids, now);
  const foreign = uploads.find((_upload, i) => owners[i] !== null && owners[i] !== accountKey(accountRef));
  return foreign
    ? invalidField(`attachments[${foreign.index}].attachment_id`, "was uploaded by another account")
    : null;
}
