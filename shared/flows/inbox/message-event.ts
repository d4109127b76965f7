import type { QueueMessage } from "../../aws/queues.ts";
import { messageEventType } from "../../domain/events/events.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { encodeEvent } from "../../queues/events.ts";
import type { RecordedMessage } from "../../stores/inbox/messages.ts";

/**
 * The queue message of a message's event. It carries keys only. A message sent through the API is counted with its
 * first delivery, which saves the API a write.
 */
export function messageEvent(tenant: TenantId, record: RecordedMessage): QueueMessage {
  return {
    body: encodeEvent({
      tenant,
      eventUlid: record.message.eventUlid,
      type: messageEventType(record.message),
      source: record.ref,
      repeated: !record.isNew,
      uncounted: record.message.direction === "outbound" && record.message.scope === "live" && !record.message.counted,
      test: record.message.scope === "test",
    }),
    group: tenant,
  };
}
