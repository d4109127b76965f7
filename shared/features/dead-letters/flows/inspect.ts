import { decompress } from "#base/kernel/compression.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { type EventMessage, encodeEvent } from "#features/delivery/event-queue.ts";
import type { RetryMessage } from "#features/delivery/queue.ts";
import { loadRenderedEvent } from "#features/delivery/rendered-events.ts";
import type { DeliveryStatus } from "#features/delivery/rules/deliveries.ts";
import type { DeliveryRow } from "#features/delivery/store/items.ts";
import type { Erasure } from "#features/erasure/store/items.ts";
import type { InboundMessage } from "#features/inbox/queue.ts";
import { type EndpointStatus, subscribedEndpoints } from "#features/webhooks/rules/endpoints.ts";
import { type DecodedMessage, decodeDeadLetter } from "../decode.ts";
import type { RedrivePorts } from "../ports.ts";
import type { QuarantinedMessage } from "../store/quarantine.ts";

type DecodedAs<Kind extends DecodedMessage["kind"]> = Extract<DecodedMessage, { kind: Kind }>;

/** A dead letter's contents, and the current state of what they refer to. */
export type Inspection =
  | (DecodedAs<"webhook"> & {
      readonly updates: UpdateSummary | null;
      /** The table was restored since. Then it may be about a conversation that was erased in the time that was lost. */
      readonly isBeforeRestore: boolean;
    })
  | (DecodedAs<"event"> & { readonly bodyStored: boolean; readonly endpoints: readonly EndpointDelivery[] })
  | (DecodedAs<"attempt"> & {
      readonly delivery: DeliveryRow | null;
      readonly endpoint: EndpointStatus | null;
      readonly bodyStored: boolean;
    })
  | DecodedAs<"task">
  | DecodedAs<"profile">
  | (DecodedAs<"erasure"> & { readonly phase: Erasure["phase"] | null })
  | DecodedAs<"mail">
  | DecodedAs<"upload">
  | DecodedAs<"account_task">
  | DecodedAs<"realtime">
  | (DecodedAs<"unreadable"> & { readonly isBeforeRestore: boolean });

/** What a webhook is about, without its content. */
export interface UpdateSummary {
  readonly count: number;
  /** The keys of the accounts it is about. */
  readonly accounts: readonly string[];
}

/** A subscribed endpoint and its delivery's status; null when there is no delivery. */
export interface EndpointDelivery {
  readonly endpointId: string;
  readonly status: EndpointStatus;
  readonly delivery: DeliveryStatus | null;
}

/** What a redrive does. */
export type RedrivePlan =
  | { readonly action: "send"; readonly body: string }
  | { readonly action: "replay"; readonly attempt: RetryMessage }
  /** Nothing is left to do. */
  | { readonly action: "skip"; readonly reason: "delivery_ended" | "delivery_moved_on" | "erasure_over" }
  | { readonly action: "refuse"; readonly reason: RedriveRefusal };

type RedriveRefusal = "cut" | "before_restore" | "delivery_gone" | "endpoint_gone" | "event_gone";

export async function inspectDeadLetter(
  ports: RedrivePorts,
  letter: QuarantinedMessage,
  now: Millis,
): Promise<Inspection> {
  const decodedLetter = decodeDeadLetter(letter);
  const { queue, sentAt } = letter;
  switch (decodedLetter.kind) {
    case "webhook":
      return {
        ...decodedLetter,
        updates: summarizeUpdates(ports, decodedLetter.webhook),
        isBeforeRestore: await isBeforeRestore(ports, decodedLetter.webhook.receivedAt),
      };
    case "event":
      return { ...decodedLetter, ...(await inspectEvent(ports, decodedLetter.event, now)) };
    case "attempt":
      return { ...decodedLetter, ...(await inspectAttempt(ports, decodedLetter.attempt, now)) };
    case "erasure": {
      const { tenant, erasureId } = decodedLetter.erasure;
      return { ...decodedLetter, phase: (await ports.erasures.get(tenant, erasureId))?.phase ?? null };
    }
    case "task":
    case "profile":
    case "mail":
    case "upload":
    case "account_task":
    case "realtime":
      return decodedLetter;
    case "unreadable":
      return { ...decodedLetter, isBeforeRestore: queue === "Inbound" && (await isBeforeRestore(ports, sentAt)) };
  }
}

/** Pure, so that `dlq explain` shows what `dlq redrive` does. */
export function planRedrive(letter: Pick<QuarantinedMessage, "body" | "cut">, inspection: Inspection): RedrivePlan {
  if (letter.cut) return { action: "refuse", reason: "cut" };
  switch (inspection.kind) {
    case "event":
      // Some endpoints may have received the event: their rows are read first.
      return inspection.bodyStored
        ? { action: "send", body: encodeEvent({ ...inspection.event, repeated: true }) }
        : { action: "refuse", reason: "event_gone" };
    case "attempt":
      return planAttemptRedrive(letter.body, inspection);
    case "erasure":
      return inspection.phase ? { action: "send", body: letter.body } : { action: "skip", reason: "erasure_over" };
    case "webhook":
    // Another version may read it.
    case "unreadable":
      return inspection.isBeforeRestore
        ? { action: "refuse", reason: "before_restore" }
        : { action: "send", body: letter.body };
    case "task":
    case "profile":
    case "mail":
    // An upload that was not handed over in time fails, and its copy is deleted.
    case "upload":
    // A task of an earlier connection, or of an account that is gone, changes nothing.
    case "account_task":
    // The worker drops what is too old for a socket.
    case "realtime":
      return { action: "send", body: letter.body };
  }
}

function planAttemptRedrive(body: string, inspection: Extract<Inspection, { kind: "attempt" }>): RedrivePlan {
  const { attempt, delivery } = inspection;
  if (!delivery) return { action: "refuse", reason: "delivery_gone" };
  switch (delivery.status) {
    case "delivered":
    case "failed":
    case "blocked":
      return { action: "skip", reason: "delivery_ended" };
    case "pending":
    case "attempting":
    case "retrying":
      // The attempt number decides whether the row still waits for it.
      return { action: "send", body };
    case "dlq":
      if (delivery.attempt > attempt.attempt) return { action: "skip", reason: "delivery_moved_on" };
      if (inspection.endpoint === null || inspection.endpoint === "deleted")
        return { action: "refuse", reason: "endpoint_gone" };
      return inspection.bodyStored ? { action: "replay", attempt } : { action: "refuse", reason: "event_gone" };
  }
}

async function inspectEvent(ports: RedrivePorts, event: EventMessage, now: Millis) {
  const [allEndpoints, bodyStored] = await allDone([ports.endpoints.list(event.tenant), bodyExists(ports, event, now)]);
  const targets = subscribedEndpoints(event.type, allEndpoints).filter(({ id }) => id !== event.excludedEndpointId);
  const endpoints = await allDone(
    targets.map(async ({ id, status }): Promise<EndpointDelivery> => {
      const row = await ports.deliveries.get(event.tenant, id, event.eventUlid);
      return { endpointId: id, status, delivery: row?.status ?? null };
    }),
  );
  return { bodyStored, endpoints };
}

async function inspectAttempt(ports: RedrivePorts, { tenant, endpointId, eventUlid }: RetryMessage, now: Millis) {
  const [delivery, endpoint] = await allDone([
    ports.deliveries.get(tenant, endpointId, eventUlid),
    ports.endpoints.get(tenant, endpointId),
  ]);
  const bodyStored =
    delivery !== null && (await bodyExists(ports, { tenant, eventUlid, source: delivery.source }, now));
  return { delivery, endpoint: endpoint?.status ?? null, bodyStored };
}

async function bodyExists(
  ports: RedrivePorts,
  event: Pick<EventMessage, "tenant" | "eventUlid" | "source">,
  now: Millis,
): Promise<boolean> {
  if (now >= ulidTime(event.eventUlid) + RETENTION) return false;
  return (await loadRenderedEvent(ports, event.tenant, event)) !== null;
}

/** A restore reads the histories of the platforms up to an instant. What arrived before it is fetched, without what was erased. */
async function isBeforeRestore({ restores }: Pick<RedrivePorts, "restores">, at: Millis): Promise<boolean> {
  const restore = await restores.read();
  return restore !== null && (restore.fetchUntil === null || at <= restore.fetchUntil);
}

/** Null when the bytes are in the bucket or cannot be decompressed. */
function summarizeUpdates(
  ports: RedrivePorts,
  { bytes, receivedAt }: Pick<InboundMessage, "bytes" | "receivedAt">,
): UpdateSummary | null {
  const raw = bytes && tryDecompress(bytes);
  if (!raw) return null;
  const updates = ports.parseUpdates(raw, receivedAt);
  const accounts = updates.flatMap((update) => (update.kind === "ignored" ? [] : [accountKey(update.account)]));
  return { count: updates.length, accounts: [...new Set(accounts)] };
}

function tryDecompress(bytes: Uint8Array): Uint8Array | null {
  try {
    return decompress(bytes);
  } catch {
    return null;
  }
}
