import * as z from "zod/mini";
import { sendReply as send } from "../../shared/flows/send-reply.ts";
import { isRefusal, refuse } from "../../shared/kernel/refusals.ts";
import { endpoint } from "./api-endpoint.ts";

const someText = z.string().check(z.minLength(1));

export const sendReply = endpoint({
  method: "POST",
  path: "/v1/messages/reply",
  auth: "key",
  tenant: "resource",
  tag: "Messages",
  summary: "Answer within 24 hours of the person's last message",
  body: z.object({
    conversation_id: someText,
    text: someText,
    reply_to: z.optional(someText),
    attachments: z.optional(z.unknown()),
    actor_id: z.optional(z.unknown()),
  }),
  refusals: ["conversation_not_found", "account_not_found", "window_closed", "send_failed"],
  data: z.object({ platform_message_id: z.string() }),
  handle: async ({ caller, body, now, ports }) => {
    if (body.attachments !== undefined) return refuse("invalid_request", "attachments: a reply carries text only");
    if (body.actor_id !== undefined) return refuse("invalid_request", "actor_id: not accepted on a reply");
    const sent = await send(
      ports,
      caller,
      { conversationId: body.conversation_id, text: body.text, replyTo: body.reply_to ?? null },
      now,
    );
    return isRefusal(sent) ? sent : { platform_message_id: sent.messageId };
  },
});
