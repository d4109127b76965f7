import { accountKey } from "../../domain/accounts/accounts.ts";
import type { DeliveryStatus } from "../../domain/delivery/deliveries.ts";
import { RETENTION } from "../../domain/limits.ts";
import { type EndpointStatus, endpointsWanting } from "../../domain/webhooks/endpoints.ts";
import { decompress } from "../../kernel/compression.ts";
import { timeOfUlid } from "../../kernel/ids.ts";
import type { Millis } from "../../kernel/time.ts";
import { type EventMessage, type RetryMessage, writeEvent } from "../../queues/messages.ts";
import type { KeptLetter } from "../../stores/dead-letters/quarantine.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import type { Erasure } from "../../stores/erasure/erasure-items.ts";
import { renderedEventOf } from "../delivery/rendered-events.ts";
import type { RedrivePorts } from "../ports.ts";
import { type Contents, contentsOf } from "./decode.ts";

type Of<Kind extends Contents["kind"]> = Extract<Contents, { kind: Kind }>;

/** A dead letter's contents, and what they name as it stands now. */
export type Findings =
  | (Of<"webhook"> & { readonly updates: Updates | null })
  | (Of<"event"> & { readonly bodyKept: boolean; readonly endpoints: readonly Announced[] })
  | (Of<"attempt"> & {
      readonly delivery: DeliveryRow | null;
      readonly endpoint: EndpointStatus | null;
      readonly bodyKept: boolean;
    })
  | Of<"step">
  | Of<"profile">
  | (Of<"erasure"> & { readonly phase: Erasure["phase"] | null })
  | Of<"unreadable">;

/** What a webhook tells of: never what it says. */
export interface Updates {
  readonly count: number;
  /** The accounts that it is about, by their public keys. */
  readonly accounts: readonly string[];
}

/** An endpoint that wants an event, and what its delivery came to so far; null where there is none. */
export interface Announced {
  readonly endpointId: string;
  readonly status: EndpointStatus;
  readonly delivery: DeliveryStatus | null;
}

/** What redriving does. */
export type Plan =
  | { readonly does: "send"; readonly body: string }
  | { readonly does: "replay"; readonly attempt: RetryMessage }
  /** It has been overtaken: there is nothing left to do. */
  | { readonly does: "nothing"; readonly why: "delivery_ended" | "delivery_moved_on" | "erasure_over" }
  | { readonly does: "refuse"; readonly why: "cut" | "delivery_gone" | "endpoint_gone" | "event_gone" };

export async function lookInto(ports: RedrivePorts, letter: KeptLetter, now: Millis): Promise<Findings> {
  const contents = contentsOf(letter);
  switch (contents.kind) {
    case "webhook":
      return { ...contents, updates: updatesIn(ports, contents.webhook.bytes) };
    case "event":
      return { ...contents, ...(await announced(ports, contents.event, now)) };
    case "attempt":
      return { ...contents, ...(await attempted(ports, contents.attempt, now)) };
    case "erasure": {
      const { tenant, erasureId } = contents.erasure;
      return { ...contents, phase: (await ports.erasures.get(tenant, erasureId))?.phase ?? null };
    }
    case "step":
    case "profile":
    case "unreadable":
      return contents;
  }
}

/** Pure, so that what is told beforehand is what is done. */
export function planFor(letter: Pick<KeptLetter, "body" | "cut">, found: Findings): Plan {
  if (letter.cut) return { does: "refuse", why: "cut" };
  switch (found.kind) {
    case "event":
      // Some endpoints may have been told: their rows are asked first.
      return found.bodyKept
        ? { does: "send", body: writeEvent({ ...found.event, repeated: true }) }
        : { does: "refuse", why: "event_gone" };
    case "attempt":
      return planForAttempt(letter.body, found);
    case "erasure":
      return found.phase ? { does: "send", body: letter.body } : { does: "nothing", why: "erasure_over" };
    case "webhook":
    case "step":
    case "profile":
    // What this version cannot read, another one may.
    case "unreadable":
      return { does: "send", body: letter.body };
  }
}

function planForAttempt(body: string, found: Extract<Findings, { kind: "attempt" }>): Plan {
  const { attempt, delivery } = found;
  if (!delivery) return { does: "refuse", why: "delivery_gone" };
  switch (delivery.status) {
    case "delivered":
    case "failed":
    case "blocked":
      return { does: "nothing", why: "delivery_ended" };
    case "pending":
    case "attempting":
    case "retrying":
      // Its number decides whether it is still the one that the row waits for.
      return { does: "send", body };
    case "dlq":
      if (delivery.attempt > attempt.attempt) return { does: "nothing", why: "delivery_moved_on" };
      if (found.endpoint === null || found.endpoint === "deleted") return { does: "refuse", why: "endpoint_gone" };
      return found.bodyKept ? { does: "replay", attempt } : { does: "refuse", why: "event_gone" };
  }
}

async function announced(ports: RedrivePorts, event: EventMessage, now: Millis) {
  const [all, bodyKept] = await Promise.all([ports.endpoints.list(event.tenant), keeps(ports, event, now)]);
  const wanting = endpointsWanting(event.type, all).filter(({ id }) => id !== event.except);
  const endpoints = await Promise.all(
    wanting.map(async ({ id, status }): Promise<Announced> => {
      const row = await ports.deliveries.get(event.tenant, id, event.eventUlid);
      return { endpointId: id, status, delivery: row?.status ?? null };
    }),
  );
  return { bodyKept, endpoints };
}

async function attempted(ports: RedrivePorts, { tenant, endpointId, eventUlid }: RetryMessage, now: Millis) {
  const [delivery, endpoint] = await Promise.all([
    ports.deliveries.get(tenant, endpointId, eventUlid),
    ports.endpoints.get(tenant, endpointId),
  ]);
  const bodyKept = delivery !== null && (await keeps(ports, { tenant, eventUlid, source: delivery.source }, now));
  return { delivery, endpoint: endpoint?.status ?? null, bodyKept };
}

async function keeps(
  ports: RedrivePorts,
  event: Pick<EventMessage, "tenant" | "eventUlid" | "source">,
  now: Millis,
): Promise<boolean> {
  if (now >= timeOfUlid(event.eventUlid) + RETENTION) return false;
  return (await renderedEventOf(ports, event.tenant, event)) !== null;
}

/** Null for bytes that lie in the bucket or cannot be opened. */
function updatesIn(ports: RedrivePorts, bytes: Uint8Array | null): Updates | null {
  const raw = bytes && opened(bytes);
  if (!raw) return null;
  const updates = ports.parseUpdates(raw);
  const accounts = updates.flatMap((update) => (update.kind === "ignored" ? [] : [accountKey(update.account)]));
  return { count: updates.length, accounts: [...new Set(accounts)] };
}

function opened(bytes: Uint8Array): Uint8Array | null {
  try {
    return decompress(bytes);
  } catch {
    return null;
  }
}
