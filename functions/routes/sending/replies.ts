import * as z from "zod/mini";
import { sendReply as send } from "../../../shared/flows/sending/reply.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { endpoint } from "../api-endpoint.ts";
import { sendAliases, sendFields, sendRefusals, textOrMedia, textOrMediaMeta, toSendRequest } from "./send-body.ts";

export const sendReply = endpoint.caller({
  operation: "sendReply",
  method: "POST",
  path: "/v1/messages/reply",
  tenant: "resource",
  namesTenant: "conversation_id",
  role: "agent",
  tag: "Messages",
  summary: "Send a reply within 24 hours of the participant's last message",
  body: z.object({ ...sendFields, actor_id: z.optional(z.never()) }).check(textOrMedia, textOrMediaMeta),
  aliases: sendAliases,
  idempotent: true,
  refusals: sendRefusals,
  data: z.object({ platform_message_id: z.string() }),
  handle: async ({ caller, body, idempotencyKey, onReplay, time, ports }) => {
    const result = await send(ports, { caller, reply: { ...toSendRequest(body), idempotencyKey, onReplay }, time });
    return isRefusal(result) ? result : { platform_message_id: result.messageId };
  },
});
