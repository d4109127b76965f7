import type { Send } from "./platform.ts";
import { sendBody } from "./send-body.ts";

/**
 * The body of a send on Instagram, which has no metadata: its echo is known by the message's id alone.
 * @param uploadType what an uploaded file is called; its own type by default
 */
export function instagramMessage(send: Send, uploadType: string | null = null): object {
  return sendBody(send, { metadata: false, uploadType });
}

/** What an account is told of a person who wrote to it. */
export const instagramProfileFields = ["name", "username", "profile_pic"];
