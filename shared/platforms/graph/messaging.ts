import type { AccountRef, PlatformName } from "#features/accounts/rules/accounts.ts";
import {
  isAttachmentId,
  isTextTooLong,
  namesUrl,
  type OutgoingAttachment,
  type SendContent,
} from "#features/sending/rules/send-content.ts";
import { appSecretProof } from "./app-secret-proof.ts";
import { readRefusal, unreachable } from "./errors.ts";
import type { CallOutcome, PlatformHttp } from "./http.ts";
import { asObject, type JsonObject, parseJson, readMessageId } from "./json.ts";
import type { Platform, Send, SendOutcome, Upload, UploadOutcome, Upstream } from "./platform.ts";
import { readProfile } from "./profiles.ts";

interface SendBodyOptions {
  /** Whether the platform takes metadata. */
  readonly metadata: boolean;
  /** The attachment type of an uploaded file; null for the file's own type. */
  readonly uploadType: string | null;
}

/** The request body of a send. */
function sendBody(send: Send, { metadata, uploadType }: SendBodyOptions): object {
  return {
    recipient: { id: send.recipientId },
    ...(send.humanAgent ? { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" } : { messaging_type: "RESPONSE" }),
    message: { ...toMessage(send.content, uploadType), ...(metadata ? { metadata: send.metadata } : {}) },
    ...(send.replyTo === null ? {} : { reply_to: { mid: send.replyTo } }),
  };
}

function toMessage(content: SendContent, uploadType: string | null): object {
  if (content.kind === "text") return { text: content.text };
  const attachments = content.attachments.map((attachment) => toAttachment(attachment, uploadType));
  return attachments.length === 1 ? { attachment: attachments[0] } : { attachments };
}

function toAttachment(attachment: OutgoingAttachment, uploadType: string | null): object {
  return "url" in attachment
    ? { type: attachment.type, payload: { url: attachment.url } }
    : { type: uploadType ?? attachment.type, payload: { attachment_id: attachment.attachmentId } };
}

/** One call that sends a message as the account of the token. */
interface MessagePost {
  /** The base URL and version. */
  readonly api: string;
  readonly token: string;
  readonly body: object;
  readonly message: Pick<Send, "humanAgent" | "leavesBy">;
  readonly deadline: AbortSignal;
}

/** Sends one message. Makes one call. */
async function postMessage(http: PlatformHttp, post: MessagePost): Promise<SendOutcome> {
  const { api, token, body, deadline, message } = post;
  const { humanAgent, leavesBy } = message;
  const outcome = await http.post({ url: `${api}/me/messages`, token, body, deadline, leavesBy });
  return toOutcome(outcome, { token, humanAgent }, (body) => {
    const messageId = readMessageId(body?.message_id);
    return messageId === null ? null : { kind: "accepted", messageId };
  });
}

/** One call that uploads a file for the account of the token. */
interface UploadPost {
  /** The URL of the account, without a trailing slash. */
  readonly accountUrl: string;
  readonly token: string;
  readonly upload: Upload;
  /** Further fields of the body: the platform of the account where the token has several, and the proof of the app. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Uploads one file, which the platform fetches from its URL. Makes one call. */
async function postUpload(
  http: PlatformHttp,
  { accountUrl, token, upload, fields }: UploadPost,
): Promise<UploadOutcome> {
  const { type, url, leavesBy, endsBy } = upload;
  const outcome = await http.post({
    url: `${accountUrl}/message_attachments`,
    token,
    body: { message: { attachment: { type, payload: { url, is_reusable: true } } }, ...fields },
    deadline: http.deadline(type === "video" ? "video" : "call", endsBy),
    leavesBy,
  });
  return toOutcome(outcome, { token }, (body) => {
    const attachmentId = readAttachmentId(body?.attachment_id);
    return attachmentId === null ? null : { kind: "accepted", attachmentId };
  });
}

/** An id that a send accepts. The platforms' ids are digits, and a number among them is read as its digits. */
function readAttachmentId(value: unknown): string | null {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && isAttachmentId(text) ? text : null;
}

type NotAccepted = Exclude<SendOutcome, { readonly kind: "accepted" }>;

const unknown: NotAccepted = { kind: "unknown", detail: "outcome_unknown" };

/**
 * The outcome of a call that sends or uploads. A response that leaves open whether the call was accepted is `unknown`,
 * never `refused`.
 * @param call the token of the call, and whether its message had the human-agent tag
 * @param readAccepted reads the body of a 2xx response; null when it does not say what was accepted
 */
function toOutcome<Accepted>(
  outcome: CallOutcome,
  { token, humanAgent = false }: { readonly token: string; readonly humanAgent?: boolean },
  readAccepted: (body: JsonObject | null) => Accepted | null,
): Accepted | NotAccepted {
  if (outcome.kind === "unsent") return unreachable;
  if (outcome.kind === "late") return outcome;
  if (outcome.kind === "lost") return unknown;
  const { status } = outcome;
  const body = asObject(parseJson(outcome.body));
  if (status >= 200 && status <= 299) return readAccepted(body) ?? unknown;
  if (status < 400 || status > 499) return unknown;
  const error = asObject(body?.error);
  return (error && readRefusal(error, outcome, [token], humanAgent)) ?? unknown;
}

/** What differs between the connections of an account. */
export interface ConnectionTraits {
  readonly platform: PlatformName;
  readonly host: keyof Pick<Upstream, "facebookGraph" | "instagramGraph">;
  readonly profileFields: readonly string[];
  /** Whether the platform takes metadata and returns it in the echo. */
  readonly metadata: boolean;
  /** The older type of uploaded files, which the platform accepts where it refuses a file's own type. */
  readonly olderUploadType: string | null;
  /** The node of the API that takes uploads: the account, its page, or the owner of the token. */
  readonly uploadNode: "account" | "page" | "me";
  /** What an upload adds to its body. A page's uploads belong to its Messenger account unless they name another. */
  readonly uploadFields: Readonly<Record<string, string>>;
}

const uploadNodes: Readonly<
  Record<ConnectionTraits["uploadNode"], (account: AccountRef & { readonly pageId: string | null }) => string>
> = {
  account: ({ externalId }) => externalId,
  page: ({ pageId }) => pageId ?? "me",
  me: () => "me",
};

/**
 * The platform for accounts of one connection.
 * @param appSecret the Meta app secret, for a connection that proves it; null or empty sends no proof
 */
export function messagingPlatform(
  { platform, host, profileFields, metadata, olderUploadType, uploadNode, uploadFields }: ConnectionTraits,
  upstream: Upstream,
  http: PlatformHttp,
  appSecret: string | null,
): Platform {
  const toProof = (token: string) => (host === "facebookGraph" ? appSecretProof(appSecret, token) : {});
  const api = `${upstream[host]}/${upstream.graphVersion}`;

  async function send(token: string, message: Send): Promise<SendOutcome> {
    const deadline = http.deadline(namesUrl(message.content) ? "fetch" : "call", message.endsBy);
    const proof = toProof(token);
    const post = (uploadType: string | null) =>
      postMessage(http, {
        api,
        token,
        body: { ...sendBody(message, { metadata, uploadType }), ...proof },
        message,
        deadline,
      });
    const outcome = await post(null);
    // The second call is made only after an explicit refusal of the message's data: the first call sent nothing.
    const mayRepeat = olderUploadType !== null && isTypeRefused(outcome) && hasUploadedAttachment(message);
    if (!mayRepeat || deadline.aborted) return outcome;
    const secondOutcome = await post(olderUploadType);
    return secondOutcome.kind === "late" ? outcome : secondOutcome;
  }

  return {
    send: (_account, token, message) => send(token, message),
    upload: (account, token, upload) =>
      postUpload(http, {
        accountUrl: `${api}/${encodeURIComponent(uploadNodes[uploadNode](account))}`,
        token,
        upload,
        fields: { ...uploadFields, ...toProof(token) },
      }),
    fetchProfile: (_account, token, participantId) =>
      readProfile(http, { api, token, participantId, query: { fields: profileFields.join(","), ...toProof(token) } }),
    textTooLong: (text) => isTextTooLong(platform, text),
  };
}

function isTypeRefused(outcome: SendOutcome): boolean {
  return outcome.kind === "refused" && outcome.code === 100 && outcome.subcode === 2534015;
}

function hasUploadedAttachment({ content }: Send): boolean {
  return content.kind === "attachments" && content.attachments.some((attachment) => "attachmentId" in attachment);
}
