import { randomToken } from "#base/kernel/bytes.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { UPLOAD_HEAD_BYTES } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Caller, refuseTenant } from "#features/access/rules/callers.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import { type ConversationHead, readConversationId } from "#features/inbox/rules/messages.ts";
import { requestUploadPush } from "#features/realtime/request-push.ts";
import type { UploadPorts } from "../ports.ts";
import { encodeUpload } from "../queue.ts";
import { checkDeclared, checkPosted, copyContentType, type RequestedFile } from "../rules/checks.ts";
import { copyName } from "../rules/media-types.ts";
import {
  copyKey,
  finishableUntil,
  grantExpiresAt,
  isUploadReadable,
  newUploadId,
  parseUploadId,
  postedKey,
  type UploadState,
  uploadError,
  uploadStateAt,
} from "../rules/uploads.ts";
import type { StoredUpload } from "../store/uploads.ts";

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

/** An upload with its current state. */
export interface UploadView {
  readonly upload: StoredUpload;
  readonly state: UploadState;
}

/**
 * Gets an upload of a tenant that the caller may act for, until a day after it was created. An end by time is stored
 * before it is returned: a process that was frozen could store another one.
 */
export async function getUpload(
  ports: { readonly uploads: Pick<UploadPorts["uploads"], "get" | "lapse"> },
  caller: Caller,
  uploadId: string,
  now: Millis,
): Promise<UploadView | Refusal<"upload_not_found" | "tenant_suspended">> {
  const id = parseUploadId(uploadId);
  const upload = id !== null && isUploadReadable(id, now) ? await ports.uploads.get(id) : null;
  if (!upload) return refuse("upload_not_found");
  const refusal = refuseTenant(caller, upload.tenant, "upload_not_found");
  if (refusal) return refusal;
  if (uploadStateAt(upload, now).status === upload.state.status) return { upload, state: upload.state };
  const ended = await ports.uploads.lapse(upload.id, uploadError("internal_error"), now);
  return ended ? { upload: ended, state: ended.state } : refuse("upload_not_found");
}

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

/** Bytes of randomness in the key of a copy, so that each finish has a copy of its own. */
const COPY_KEY_BYTES = 16;

type FileRefusal = Refusal<"attachment_too_large" | "unsupported_media_type">;

type FinishRefusal = FileRefusal | Refusal<"upload_not_found" | "conversation_not_found" | "tenant_suspended">;

/**
 * Checks the posted file by its bytes, copies the version that was checked to where no grant can write, and starts the
 * hand-over of the copy to the platform. A file that is refused consumes the upload. A file that is absent, or that was
 * replaced during the checks, does not.
 */
export async function finishUpload(
  ports: UploadPorts,
  caller: Caller,
  uploadId: string,
  time: RequestTime,
): Promise<UploadView | FinishRefusal> {
  const view = await getUpload(ports, caller, uploadId, time.now());
  if (isRefusal(view)) return view;
  const { upload } = view;
  // A live upload calls the platform, which a test key never does.
  if (upload.state.status !== "waiting" || upload.scope !== caller.scope || !isFinishable(upload, time)) {
    return refuse("upload_not_found");
  }
  const conversation = await getUploadConversation(ports, upload.conversationId, time.now());
  if (isRefusal(conversation)) return conversation;

  const { account } = conversation;
  const push = () => requestUploadPush(ports, { tenant: upload.tenant, account, id: upload.id, now: time.now() });
  const key = postedKey(upload.id);
  const posted = await ports.uploadFiles.head(key);
  if (!posted) return refuse("upload_not_found");
  const version = { key, etag: posted.etag };
  const head = await ports.uploadFiles.firstBytes(version, UPLOAD_HEAD_BYTES);
  if (!head) return refuse("upload_not_found");
  const refusal = checkPosted(account.connection, upload, { size: posted.size, head });
  if (refusal) {
    const failure = await refuseFile(ports, upload, refusal, time);
    await push();
    return failure;
  }

  // The platform reads the type from storage's answer and the extension.
  const contentType = copyContentType(upload, head);
  const copy = copyKey({
    id: upload.id,
    random: randomToken(COPY_KEY_BYTES).toString("base64url"),
    name: copyName(upload.id, contentType, upload.filename),
  });
  const isCopied = await ports.uploadFiles.copy(version, { key: copy, contentType });
  const checked = { copyKey: copy, size: posted.size, at: time.now() };
  const isStarted = isCopied && isFinishable(upload, time) && (await ports.uploads.startProcessing(upload.id, checked));
  if (!isStarted) {
    // Also where nothing was copied: a repeated request may find the file replaced after the first one had copied it.
    await removeFile(ports, copy);
    return refuse("upload_not_found");
  }
  const settled = await enqueue(ports, upload, copy, time).finally(push);
  await removeFile(ports, key);
  const state = { status: "processing", copyKey: copy, processingAt: checked.at, tries: 0 } as const;
  return settled ?? { upload: { ...upload, size: checked.size, state }, state };
}

/** Whether there is time left for the hand-over before the files of the upload's hour are deleted. */
function isFinishable({ id }: StoredUpload, time: RequestTime): boolean {
  return time.now() < finishableUntil(id);
}

/** Consumes the upload. Of several callers at once, those that find the same fault get the same refusal. */
async function refuseFile(
  ports: UploadPorts,
  { id }: StoredUpload,
  refusal: FileRefusal,
  time: RequestTime,
): Promise<FinishRefusal> {
  const error = uploadError(refusal.refused, refusal.detail ?? null);
  const upload = await ports.uploads.fail(id, { error, from: "waiting", now: time.now() });
  if (upload?.state.status !== "failed" || upload.state.error.code !== error.code) return refuse("upload_not_found");
  await removeFile(ports, postedKey(id));
  return refusal;
}

/**
 * Requests the hand-over. An upload whose request failed ends at once, because nothing else refers to it.
 * @returns null, or the upload if it ended although the answer of the queue was lost
 * @throws the fault of the queue
 */
async function enqueue(
  ports: UploadPorts,
  { id, tenant }: StoredUpload,
  copy: string,
  time: RequestTime,
): Promise<UploadView | null> {
  const body = encodeUpload({ tenant, uploadId: id });
  try {
    await ports.uploadWork.send({ body, group: tenant });
    return null;
  } catch (fault) {
    const error = uploadError("internal_error");
    const upload = await ports.uploads.fail(id, { error, from: "processing", now: time.now() });
    if (upload && isHandedOver(upload.state)) return { upload, state: upload.state };
    await removeFile(ports, copy);
    await removeFile(ports, postedKey(id));
    throw fault;
  }
}

/** Whether the hand-over has ended with the platform's answer. */
function isHandedOver(state: UploadState): boolean {
  return state.status === "ready" || (state.status === "failed" && state.error.code !== "internal_error");
}

/** Removes a file that is no longer needed. What is left is purged within a day. */
async function removeFile({ uploadFiles, log }: Pick<UploadPorts, "uploadFiles" | "log">, key: string): Promise<void> {
  await uploadFiles.remove(key).catch((error: unknown) => {
    log({ event: "upload.remove_failed", error: errorClass(error) });
  });
}
