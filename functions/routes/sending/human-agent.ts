import * as z from "zod/mini";
import { ACTOR_ID_CHARS_MAX } from "../../../shared/domain/limits.ts";
import { createHold, verifyUrl } from "../../../shared/flows/holds/create.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { endpoint } from "../api-endpoint.ts";
import { holdSchema, toHoldResponse } from "../holds/hold-schemas.ts";
import { sendAliases, sendFields, sendRefusals, textOrMedia, toSendRequest } from "./send-body.ts";

export const sendHumanAgentMessage = endpoint({
  method: "POST",
  path: "/v1/messages/human-agent",
  auth: "key",
  tenant: "resource",
  tag: "Messages",
  summary: "Hold a message that a named person typed, from 24 hours to 7 days after the person's last message",
  description:
    "Nothing is sent until the person who typed it opens `verify_url`, within 15 minutes, and passes the check; then the message goes out once, as the policy stands then: if the other side wrote meanwhile, as a plain reply. What became of it is told by `GET /v1/messages/holds/{hold_id}` and by the events.",
  body: z
    .object({
      ...sendFields,
      // Left out, it is a matter of policy and not of form.
      actor_id: z.nullish(z.string().check(z.maxLength(ACTOR_ID_CHARS_MAX))),
    })
    .check(textOrMedia),
  aliases: sendAliases,
  idempotent: true,
  refusals: [...sendRefusals, "missing_actor", "human_agent_early", "human_agent_late", "human_agent_no_inbound"],
  status: 202,
  data: z.object({ hold: holdSchema }),
  handle: async ({ caller, body, idempotencyKey, request, now, ports }) => {
    const message = { ...toSendRequest(body), actorId: body.actor_id?.trim() || null, idempotencyKey };
    const hold = await createHold(ports, { caller, ip: request.sourceIp }, message, now);
    if (isRefusal(hold)) return hold;
    return { hold: toHoldResponse(hold, { status: "awaiting_verification" }, await verifyUrl(ports, hold.id)) };
  },
});
