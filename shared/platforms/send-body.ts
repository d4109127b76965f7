import type { OutgoingAttachment, SendContent } from "../domain/sending/send-content.ts";
import type { Send } from "./platform.ts";

/** How the platforms' bodies differ. */
interface Manner {
  /** Messenger alone keeps metadata; an echo on Instagram is known by the message's id. */
  readonly metadata: boolean;
  /** What an uploaded file is called; null for its own type. */
  readonly uploadedAs: string | null;
}

/** The body of a send, as all connections take it. */
export function sendBody(send: Send, { metadata, uploadedAs }: Manner): object {
  return {
    recipient: { id: send.recipientId },
    ...(send.humanAgent ? { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" } : { messaging_type: "RESPONSE" }),
    message: { ...messageOf(send.content, uploadedAs), ...(metadata ? { metadata: send.metadata } : {}) },
    ...(send.replyTo === null ? {} : { reply_to: { mid: send.replyTo } }),
  };
}

function messageOf(content: SendContent, uploadedAs: string | null): object {
  if (content.kind === "text") return { text: content.text };
  const attachments = content.attachments.map((one) => attachmentOf(one, uploadedAs));
  return attachments.length === 1 ? { attachment: attachments[0] } : { attachments };
}

function attachmentOf(attachment: OutgoingAttachment, uploadedAs: string | null): object {
  return "url" in attachment
    ? { type: attachment.type, payload: { url: attachment.url } }
    : { type: uploadedAs ?? attachment.type, payload: { attachment_id: attachment.attachmentId } };
}
