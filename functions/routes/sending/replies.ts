import * as z from "zod/mini";
import { sendReply as send } from "../../../shared/flows/sending/reply.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { clockFrom } from "../../../shared/kernel/time.ts";
import { endpoint } from "../api-endpoint.ts";
import { askedOf, sendAliases, sendFields, sendRefusals, textOrMedia } from "./send-body.ts";

export const sendReply = endpoint({
  method: "POST",
  path: "/v1/messages/reply",
  auth: "key",
  tenant: "resource",
  tag: "Messages",
  summary: "Answer within 24 hours of the person's last message",
  body: z.object({ ...sendFields, actor_id: z.optional(z.never()) }).check(textOrMedia),
  aliases: sendAliases,
  idempotent: true,
  refusals: sendRefusals,
  data: z.object({ platform_message_id: z.string() }),
  handle: async ({ caller, body, idempotencyKey, now, ports }) => {
    const sent = await send(ports, caller, { ...askedOf(body), idempotencyKey }, clockFrom(now));
    return isRefusal(sent) ? sent : { platform_message_id: sent.messageId };
  },
});
