import type { Send } from "./platform.ts";
import { sendBody } from "./send-body.ts";

/**
 * The body of a send on Instagram, which has no metadata: its echo is known by the message's id alone.
 * @param uploadedAs what an uploaded file is called; its own type by default
 */
export function instagramMessage(send: Send, uploadedAs: string | null = null): object {
  return sendBody(send, { metadata: false, uploadedAs });
}

/** What an account is told of a person who wrote to it. */
export const instagramPerson = ["name", "username", "profile_pic"];
