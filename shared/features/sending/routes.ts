import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { sendAliases, sendFields, sendRefusals, textOrMedia, textOrMediaMeta, toSendRequest } from "#http/send-body.ts";
import { sendReply as send } from "./flows/reply.ts";
import type { AttachmentPorts, FetchedPorts, IdempotencyPorts, SendPorts } from "./ports.ts";

const endpoint = endpointsFor<SendPorts & IdempotencyPorts & AttachmentPorts & FetchedPorts>();

export const sendReply = endpoint.caller({
  operation: "sendReply",
  method: "POST",
  path: "/v1/messages/reply",
  tenant: "resource",
  namesTenant: "conversation_id",
  role: "agent",
  tag: "Messages",
  summary: "Send a reply",
  body: () => z.object({ ...sendFields, actor_id: z.optional(z.never()) }).check(textOrMedia, textOrMediaMeta),
  aliases: sendAliases,
  idempotent: true,
  refusals: sendRefusals,
  data: () => z.object({ platform_message_id: z.string() }),
  handle: async ({ caller, body, idempotencyKey, onReplay, time, ports }) => {
    const result = await send(ports, { caller, reply: { ...toSendRequest(body), idempotencyKey, onReplay }, time });
    return isRefusal(result) ? result : { platform_message_id: result.messageId };
  },
});
