import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { eraseConversation as erase } from "./flows/erase.ts";
import type { EraseRequestPorts } from "./ports.ts";

const endpoint = endpointsFor<EraseRequestPorts>();

/** After this time the response is 202 and the erasure continues in the background. */
const RESPOND_WITHIN: Millis = 12 * SECOND;

const count = z.int();

export const eraseConversation = endpoint.tenant({
  operation: "eraseConversation",
  method: "DELETE",
  path: "/v1/conversations/{id}",
  role: "admin",
  slashInId: true,
  liveKeyOnly: true,
  tag: "Conversations",
  summary: "Erase a conversation",
  refusals: ["conversation_not_found", "conversation_id_cut"],
  acceptedWhen: ({ done }) => !done,
  data: () =>
    z.object({
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
  handle: async ({ tenant, path, author, now, time, ports }) => {
    const startedAt = performance.now();
    const hasTimeLeft = () => performance.now() - startedAt < RESPOND_WITHIN;
    const erasure = { tenant, conversationId: path.id, author, now, time };
    const result = await erase(ports, erasure, hasTimeLeft);
    if (isRefusal(result)) return result;
    const { sendRecords, ...removed } = result.removed;
    return { done: result.done, removed: { ...removed, send_records: sendRecords } };
  },
});
