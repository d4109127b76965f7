import type { SendText } from "./platform.ts";

/** The body of a send on Instagram, which has no metadata: its echo is known by the message's id alone. */
export function instagramMessage(send: SendText): object {
  return {
    recipient: { id: send.recipientId },
    messaging_type: "RESPONSE",
    message: { text: send.text },
    ...(send.replyTo === null ? {} : { reply_to: { mid: send.replyTo } }),
  };
}
