import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Caller, refuseTenant } from "#features/access/rules/callers.ts";
import { readConversationId } from "#features/inbox/rules/conversations.ts";
import { requestUploadPush } from "#features/realtime/request-push.ts";
import type { UploadPorts } from "../ports.ts";
import { checkDeclared, type RequestedFile } from "../rules/checks.ts";
import { grantExpiresAt, newUploadId, postedKey } from "../rules/uploads.ts";
import { getUploadConversation } from "./upload-conversation.ts";

/** How to post the file of a new upload. */
export interface CreatedUpload {
  readonly id: string;
  readonly url: string;
  /** Form fields, which go before the file. */
  readonly fields: Readonly<Record<string, string>>;
  readonly expiresAt: Millis;
  /** Bytes. */
  readonly maxSize: number;
}

type CreatePorts = Pick<UploadPorts, "uploads" | "conversations" | "accounts" | "uploadGrants" | "realtime" | "log">;

type CreateRefusal = Refusal<
  "conversation_not_found" | "tenant_suspended" | "invalid_request" | "attachment_too_large" | "unsupported_media_type"
>;

/** Creates an upload for a conversation, if the account of the conversation accepts the file as it is declared. */
export async function createUpload(
  ports: CreatePorts,
  caller: Caller,
  { conversationId, file }: { readonly conversationId: string; readonly file: RequestedFile },
  now: Millis,
): Promise<CreatedUpload | CreateRefusal> {
  const ref = readConversationId(conversationId);
  if (!ref) return refuse("conversation_not_found");
  const refusal = refuseTenant(caller, ref.tenant, "conversation_not_found");
  if (refusal) return refusal;
  const conversation = await getUploadConversation(ports, conversationId, now);
  if (isRefusal(conversation)) return conversation;
  const { head, account } = conversation;
  const declared = checkDeclared(account.connection, file);
  if (isRefusal(declared)) return declared;

  const id = newUploadId(now);
  const { filename, contentType, size, type, maxSize } = declared;
  const expiresAt = grantExpiresAt(now);
  // Without its upload, which is stored last, a grant is known to no client.
  const form = await ports.uploadGrants.grant({ key: postedKey(id), contentType, maxSize, expiresAt });
  const upload = { id, conversationId, scope: caller.scope, filename, contentType, size, type };
  if (!(await ports.uploads.create(upload, head.lastAt))) return refuse("conversation_not_found");
  await requestUploadPush(ports, { tenant: ref.tenant, account, id, now });
  return { id, ...form, expiresAt, maxSize };
}
