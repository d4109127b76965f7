import * as z from "zod/mini";
import { ACTOR_ID_CHARS_MAX } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { charactersMax } from "#http/fields.ts";
import { sendAliases, sendFields, sendRefusals, textOrMedia, textOrMediaMeta, toSendRequest } from "#http/send-body.ts";
import { toHoldFields } from "../events.ts";
import { type CreatePorts, checkUrl, createHold } from "../flows/create.ts";
import { holdSchema } from "./hold-schemas.ts";

const endpoint = endpointsFor<CreatePorts>();

export const sendHumanAgentMessage = endpoint.caller({
  operation: "sendHumanAgentMessage",
  method: "POST",
  path: "/v1/messages/human-agent",
  tenant: "resource",
  namesTenant: "conversation_id",
  role: "agent",
  tag: "Messages",
  summary: "Hold a message of a named person",
  body: () =>
    z
      .object({
        ...sendFields,
        // Optional in the schema: a missing actor is refused by policy (409), not as malformed (400).
        actor_id: z.nullish(z.string().check(...charactersMax(ACTOR_ID_CHARS_MAX))),
      })
      .check(textOrMedia, textOrMediaMeta),
  aliases: sendAliases,
  idempotent: true,
  refusals: [
    ...sendRefusals,
    "missing_actor",
    "actor_forbidden",
    "human_agent_early",
    "human_agent_late",
    "human_agent_no_inbound",
  ],
  status: 202,
  data: () => z.object({ hold: holdSchema() }),
  handle: async ({ author, body, idempotencyKey, onReplay, time, ports }) => {
    const message = { ...toSendRequest(body), actorId: body.actor_id?.trim() || null, idempotencyKey, onReplay };
    const hold = await createHold(ports, author, message, time);
    if (isRefusal(hold)) return hold;
    return { hold: toHoldFields(hold, { status: "awaiting_verification" }, await checkUrl(ports, hold.id)) };
  },
});
