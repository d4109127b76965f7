import type { OutgoingAttachment, SendContent } from "#features/sending/rules/send-content.ts";
import { readMessageId } from "../json.ts";
import type { Send, SendOutcome } from "../platform.ts";
import type { PlatformHttp } from "./http.ts";
import { toOutcome } from "./outcome.ts";

interface SendBodyOptions {
  /** Whether the platform takes metadata. */
  readonly metadata: boolean;
  /** The attachment type of an uploaded file; null for the file's own type. */
  readonly uploadType: string | null;
}

/** The request body of a send. */
export function sendBody(send: Send, { metadata, uploadType }: SendBodyOptions): object {
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
export async function postMessage(http: PlatformHttp, post: MessagePost): Promise<SendOutcome> {
  const { api, token, body, deadline, message } = post;
  const { humanAgent, leavesBy } = message;
  const outcome = await http.post({ url: `${api}/me/messages`, token, body, deadline, leavesBy });
  return toOutcome(outcome, { token, humanAgent }, (body) => {
    const messageId = readMessageId(body?.message_id);
    return messageId === null ? null : { kind: "accepted", messageId };
  });
}
