import * as z from "zod/mini";
import { eraseConversation as erase } from "../../../shared/flows/erasure/erase.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { type Millis, SECOND } from "../../../shared/kernel/time.ts";
import { endpoint } from "../api-endpoint.ts";

/** How long an answer may be waited for; then the background goes on. */
const RESPOND_WITHIN: Millis = 12 * SECOND;

const count = z.int();

export const eraseConversation = endpoint({
  method: "DELETE",
  path: "/v1/conversations/{id}",
  auth: "key",
  tenant: "query",
  tag: "Conversations",
  summary: "Erase one person's conversation, profile, messages and their delivered copies",
  description:
    "It cannot be undone. 202 with `done: false`: the rest is removed in the background, and the same call answers 200 once nothing is left. For 7 days a repeated call answers 200 with zeros, then 404. A test key may not erase: 403. No event is sent. If the person writes again, a new conversation begins. The platforms' raw webhooks are not erased: they expire 7 days after they came.",
  refusals: ["conversation_not_found"],
  acceptedWhen: ({ done }) => !done,
  data: z.object({
    done: z.boolean(),
    removed: z.object({
      conversation: count,
      profile: count,
      messages: count,
      markers: count,
      deliveries: count,
      send_records: count,
      uploads: count,
      holds: count,
    }),
  }),
  handle: async ({ tenant, path, caller, request, now, ports }) => {
    const startedAt = performance.now();
    const inTime = () => performance.now() - startedAt < RESPOND_WITHIN;
    const result = await erase(ports, tenant, { conversationId: path.id, caller, ip: request.sourceIp }, inTime, now);
    if (isRefusal(result)) return result;
    const { sendRecords, ...removed } = result.removed;
    return { done: result.done, removed: { ...removed, send_records: sendRecords } };
  },
});
