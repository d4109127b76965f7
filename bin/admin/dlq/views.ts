import { queueReaders } from "#base/config/function-times.ts";
import { eventId } from "#base/events/events.ts";
import { iso, type Millis } from "#base/kernel/time.ts";
import { wireOperation } from "#features/accounts/queue.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { type Inspection, planRedrive, type RedrivePlan } from "#features/dead-letters/flows/inspect.ts";
import type { RedriveResult } from "#features/dead-letters/flows/redrive.ts";
import type { QuarantinedMessage } from "#features/dead-letters/store/quarantine.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { describeDeadLetter } from "./letter.ts";

// The `--json` output: ids, classes and counts, never the content of a message.

export type DeadLetterJson = ReturnType<typeof toDeadLetterJson>;

export function toDeadLetterJson(letter: QuarantinedMessage, now: Millis) {
  return {
    id: letter.id,
    queue: letter.queue,
    message_id: letter.messageId,
    sent_at: iso(letter.sentAt),
    quarantined_at: iso(letter.quarantinedAt),
    receives: letter.receives,
    bytes: letter.bytes,
    cut: letter.cut,
    state: redriveState(letter, now),
    redriven_at: letter.redriven ? iso(letter.redriven.at) : null,
    outcome: letter.redriven?.end ?? null,
    description: describeDeadLetter(letter),
  };
}

function redriveState(
  { redriven, claimedUntil }: QuarantinedMessage,
  now: Millis,
): "waiting" | "being_redriven" | "redriven" {
  if (redriven) return "redriven";
  return claimedUntil !== null && claimedUntil > now ? "being_redriven" : "waiting";
}

export type InspectionJson = ReturnType<typeof toInspectionJson>;

export function toInspectionJson(letter: QuarantinedMessage, inspection: Inspection, now: Millis) {
  const plan = planRedrive(letter, inspection);
  return {
    ...toDeadLetterJson(letter, now),
    inspection: toInspectionDetails(inspection),
    redrive: { action: plan.action, reason: "reason" in plan ? plan.reason : null } satisfies {
      action: RedrivePlan["action"];
      reason: string | null;
    },
    log: { function: queueReaders[letter.queue], event: "record.failed", message_id: letter.messageId },
  };
}

function toInspectionDetails(inspection: Inspection) {
  switch (inspection.kind) {
    case "webhook":
      return {
        kind: inspection.kind,
        received_at: iso(inspection.webhook.receivedAt),
        file: inspection.webhook.file,
        part: inspection.webhook.part ?? null,
        updates: inspection.updates?.count ?? null,
        accounts: inspection.updates?.accounts ?? null,
      };
    case "event":
      return {
        kind: inspection.kind,
        tenant: inspection.event.tenant,
        event_id: eventId(inspection.event.eventUlid),
        event_type: inspection.event.type,
        conversation_id: inspection.event.source?.conversationId ?? null,
        body_stored: inspection.bodyStored,
        endpoints: inspection.endpoints.map(({ endpointId, status, delivery }) => ({
          id: endpointId,
          status,
          delivery,
        })),
      };
    case "attempt":
      return {
        kind: inspection.kind,
        tenant: inspection.attempt.tenant,
        endpoint_id: inspection.attempt.endpointId,
        endpoint_status: inspection.endpoint,
        event_id: eventId(inspection.attempt.eventUlid),
        delivery_id: deliveryId(inspection.attempt.eventUlid, inspection.attempt.endpointId),
        attempt_number: inspection.attempt.attempt,
        body_stored: inspection.bodyStored,
        delivery: toDeliveryJson(inspection.delivery),
      };
    case "task":
      return {
        kind: inspection.kind,
        tenant: inspection.task.tenant,
        endpoint_id: inspection.task.endpointId,
        task: inspection.task.kind,
      };
    case "profile":
      return {
        kind: inspection.kind,
        tenant: inspection.profile.tenant,
        conversation_id: inspection.profile.conversationId,
      };
    case "erasure":
      return {
        kind: inspection.kind,
        tenant: inspection.erasure.tenant,
        erasure: inspection.erasure.erasureId,
        phase: inspection.phase,
      };
    case "mail": {
      const { mail } = inspection;
      return {
        kind: inspection.kind,
        mail: mail.kind,
        ...(mail.kind === "invite" ? { tenant: mail.tenant, invite: mail.inviteId } : {}),
      };
    }
    case "upload": {
      const { tenant, uploadId } = inspection.upload;
      return { kind: inspection.kind, tenant, upload: uploadId };
    }
    case "account_task": {
      const { tenant, account, op } = inspection.accountTask;
      return { kind: inspection.kind, tenant, account: accountKey(account), task: wireOperation(op) };
    }
    case "realtime": {
      const { tenant, kind } = inspection.realtime;
      return { kind: inspection.kind, tenant, task: kind };
    }
    case "unreadable":
      return { kind: inspection.kind };
  }
}

function toDeliveryJson(delivery: Extract<Inspection, { kind: "attempt" }>["delivery"]) {
  if (!delivery) return null;
  return {
    status: delivery.status,
    attempt_number: delivery.attempt,
    last_response_status: delivery.lastResponseStatus,
    last_error: delivery.lastError,
    updated_at: iso(delivery.updatedAt),
  };
}

export type RedriveJson = ReturnType<typeof toRedriveJson>;

export function toRedriveJson(results: readonly RedriveResult[], unknownIds: readonly string[]) {
  const count = (end: RedriveResult["end"]) => results.filter((result) => result.end === end).length;
  return {
    sent: count("sent"),
    replayed: count("replayed"),
    not_needed: count("not_needed"),
    taken: count("taken"),
    refused: count("refused"),
    failed: count("failed"),
    unknown: unknownIds.length,
    results: [
      ...results.map(({ letter, end, reason }) => ({ id: letter.id, queue: letter.queue, end, reason })),
      ...unknownIds.map((id) => ({ id, queue: null, end: "unknown" as const, reason: null })),
    ],
  };
}
