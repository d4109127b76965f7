import type { QueueName } from "../../shared/config/names.ts";
import { deliveryId } from "../../shared/domain/delivery/deliveries.ts";
import { eventId } from "../../shared/domain/events/events.ts";
import { type Findings, type Plan, planFor } from "../../shared/flows/dead-letters/inspect.ts";
import type { Redriven } from "../../shared/flows/dead-letters/redrive.ts";
import { iso, type Millis } from "../../shared/kernel/time.ts";
import type { KeptLetter } from "../../shared/stores/dead-letters/quarantine.ts";
import { inWords } from "./dlq-letter.ts";

// What `--json` prints: ids, classes and counts, never what a message says.

/** The function whose log tells of a queue's failures. */
const workers: Readonly<Record<QueueName, string>> = {
  Inbound: "Ingest",
  Events: "Deliver",
  Deliveries: "Deliver",
  Profiles: "Profile",
  Erasures: "Erase",
};

export type LetterView = ReturnType<typeof letterView>;

export function letterView(letter: KeptLetter, now: Millis) {
  return {
    id: letter.id,
    queue: letter.queue,
    message_id: letter.messageId,
    sent_at: iso(letter.sentAt),
    set_aside_at: iso(letter.keptAt),
    receives: letter.receives,
    bytes: letter.bytes,
    cut: letter.cut,
    state: stateOf(letter, now),
    redriven_at: letter.redriven ? iso(letter.redriven.at) : null,
    outcome: letter.redriven?.end ?? null,
    what: inWords(letter),
  };
}

function stateOf({ redriven, claimedUntil }: KeptLetter, now: Millis): "waiting" | "being_redriven" | "redriven" {
  if (redriven) return "redriven";
  return claimedUntil !== null && claimedUntil > now ? "being_redriven" : "waiting";
}

export type LookView = ReturnType<typeof lookView>;

export function lookView(letter: KeptLetter, found: Findings, now: Millis) {
  const plan = planFor(letter, found);
  return {
    ...letterView(letter, now),
    found: foundView(found),
    redrive: { does: plan.does, why: "why" in plan ? plan.why : null } satisfies {
      does: Plan["does"];
      why: string | null;
    },
    log: { function: workers[letter.queue], event: "record_failed", message_id: letter.messageId },
  };
}

function foundView(found: Findings) {
  switch (found.kind) {
    case "webhook":
      return {
        kind: found.kind,
        received_at: iso(found.webhook.receivedAt),
        file: found.webhook.file,
        updates: found.updates?.count ?? null,
        accounts: found.updates?.accounts ?? null,
      };
    case "event":
      return {
        kind: found.kind,
        tenant: found.event.tenant,
        event_id: eventId(found.event.eventUlid),
        event_type: found.event.type,
        conversation_id: found.event.source?.conversationId ?? null,
        body_kept: found.bodyKept,
        endpoints: found.endpoints.map(({ endpointId, status, delivery }) => ({ id: endpointId, status, delivery })),
      };
    case "attempt":
      return {
        kind: found.kind,
        tenant: found.attempt.tenant,
        endpoint_id: found.attempt.endpointId,
        endpoint_status: found.endpoint,
        event_id: eventId(found.attempt.eventUlid),
        delivery_id: deliveryId(found.attempt.eventUlid, found.attempt.endpointId),
        attempt_number: found.attempt.attempt,
        body_kept: found.bodyKept,
        delivery: deliveryView(found.delivery),
      };
    case "step":
      return {
        kind: found.kind,
        tenant: found.step.tenant,
        endpoint_id: found.step.endpointId,
        step: found.step.step,
      };
    case "profile":
      return {
        kind: found.kind,
        tenant: found.profile.tenant,
        conversation_id: found.profile.conversationId,
      };
    case "erasure":
      return {
        kind: found.kind,
        tenant: found.erasure.tenant,
        erasure: found.erasure.erasureId,
        phase: found.phase,
      };
    case "unreadable":
      return { kind: found.kind };
  }
}

function deliveryView(row: Extract<Findings, { kind: "attempt" }>["delivery"]) {
  if (!row) return null;
  return {
    status: row.status,
    attempt_number: row.attempt,
    last_response_status: row.lastResponseStatus,
    last_error: row.lastError,
    updated_at: iso(row.updatedAt),
  };
}

export type RedriveView = ReturnType<typeof redriveView>;

export function redriveView(results: readonly Redriven[], unknown: readonly string[]) {
  const count = (end: Redriven["end"]) => results.filter((result) => result.end === end).length;
  return {
    sent: count("sent"),
    replayed: count("replayed"),
    not_needed: count("not_needed"),
    taken: count("taken"),
    refused: count("refused"),
    failed: count("failed"),
    unknown: unknown.length,
    results: [
      ...results.map(({ letter, end, why }) => ({ id: letter.id, queue: letter.queue, end, why })),
      ...unknown.map((id) => ({ id, queue: null, end: "unknown" as const, why: null })),
    ],
  };
}
