import type { Outgoing } from "../../aws/queues.ts";
import { typeOfMessageEvent } from "../../domain/events/events.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { writeEvent } from "../../queues/messages.ts";
import type { Recorded } from "../../stores/inbox/messages.ts";

/**
 * The queue message that announces a message: keys alone. What our API sent is counted along with its delivery: alone
 * it would cost the API a write.
 */
export function announcementOf(tenant: TenantId, kept: Recorded): Outgoing {
  return {
    body: writeEvent({
      tenant,
      eventUlid: kept.message.eventUlid,
      type: typeOfMessageEvent(kept.message),
      source: kept.ref,
      repeated: !kept.fresh,
      uncounted: kept.message.direction === "outbound" && kept.message.scope === "live" && !kept.message.counted,
      test: kept.message.scope === "test",
    }),
    group: tenant,
  };
}
