import type { OutgoingAttachment, SendContent } from "../../domain/sending/send-content.ts";
import type { Send } from "../platform.ts";

/** How the platforms' bodies differ. */
interface SendBodyOptions {
  /** Messenger alone keeps metadata; an echo on Instagram is known by the message's id. */
  readonly metadata: boolean;
  /** What an uploaded file is called; null for its own type. */
  readonly uploadType: string | null;
}

/** The body of a send, as all connections take it. */
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

/**
 * The body of a send on Instagram, which has no metadata: its echo is known by the message's id alone.
 * @param uploadType what an uploaded file is called; its own type by default
 */
export function instagramMessage(send: Send, uploadType: string | null = null): object {
  return sendBody(send, { metadata: false, uploadType });
}
