import { eventId, type RenderedEvent } from "#base/events/events.ts";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { atStage } from "#base/kernel/attempt-stage.ts";
import { ATTEMPT_TIMEOUT, MOVE_TO_SLOW_AFTER, RETENTION } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { newTally, type Tally } from "#features/stats/count.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { DeliverPorts } from "../ports.ts";
import { loadRenderedEvent } from "../rendered-events.ts";
import { deliveryId, type InitialStatus, signWebhook, type Verdict } from "../rules/deliveries.ts";
import { UnreleasedClaim } from "../rules/unreleased-claim.ts";
import type { DeliveryRow } from "../store/items.ts";
import { type EndpointHealth, newEndpointHealth } from "./endpoint-health.ts";

/** One batch of queue messages: its clock, and what its attempts add up to, which is written once, at the batch's end. */
export interface Batch {
  readonly now: () => Millis;
  /** Before its first read. */
  readonly startedAt: Millis;
  /** It comes from the slow deliveries queue. */
  readonly slow: boolean;
  /** The time limit of each answer. Only a slow batch waits for a slow receiver. */
  readonly answerTimeout: Millis;
  /** Endpoints that were read again, by id. */
  readonly rereads: Map<string, Promise<Endpoint | null>>;
  readonly tally: Tally;
  /** Null for a probe, which updates its breaker itself, and for an attempt that no process saw end. */
  readonly health: EndpointHealth | null;
}

export function newBatch(now: () => Millis, slow: boolean): Batch & { readonly health: EndpointHealth } {
  const answerTimeout = slow ? ATTEMPT_TIMEOUT : MOVE_TO_SLOW_AFTER;
  return {
    now,
    startedAt: now(),
    slow,
    answerTimeout,
    rereads: new Map(),
    tally: newTally(),
    health: newEndpointHealth(),
  };
}

/** Reads an endpoint consistently, once per batch: the list of a tenant's endpoints may be older than the last write. */
export function rereadEndpoint(
  { endpoints }: Pick<DeliverPorts, "endpoints">,
  { rereads }: Pick<Batch, "rereads">,
  { tenant, endpointId }: { readonly tenant: TenantId; readonly endpointId: string },
): Promise<Endpoint | null> {
  const reread = rereads.get(endpointId) ?? endpoints.get(tenant, endpointId);
  rereads.set(endpointId, reread);
  return reread;
}

// The stages of an attempt are types: prepared, answered, judged, and recorded in finish-attempt.ts. An attempt that calls
// its endpoint passes them in this order.

/** An attempt whose endpoint is called: the event, and the secrets that are valid now. */
interface ReadyAttempt {
  readonly kind: "ready";
  readonly endpoint: Endpoint;
  readonly event: RenderedEvent;
  readonly secrets: readonly string[];
}

/** An attempt that has its verdict without a call of its endpoint. */
interface AttemptWithoutCall<V> {
  readonly kind: "not_called";
  readonly verdict: V;
}

export type PreparedAttempt<V = Verdict> = ReadyAttempt | AttemptWithoutCall<V>;

export type AnsweredAttempt<V = Verdict> =
  | { readonly kind: "called"; readonly outcome: AttemptOutcome }
  | AttemptWithoutCall<V>;

export interface Judgement<V = Verdict> {
  /** Null when the endpoint was not called. */
  readonly outcome: AttemptOutcome | null;
  readonly verdict: V;
}

/** @returns an attempt that ends without a call */
export function withoutCall<V extends InitialStatus>(verdict: V): AttemptWithoutCall<V> {
  return { kind: "not_called", verdict };
}

/**
 * Posts the event of a prepared attempt to its endpoint, signed with each secret. Endpoints do not share connections,
 * even on the same host.
 */
export async function callEndpoint<V>(
  ports: Pick<DeliverPorts, "webhookClient">,
  prepared: PreparedAttempt<V>,
  { now, answerTimeout }: Pick<Batch, "now" | "answerTimeout">,
): Promise<AnsweredAttempt<V>> {
  if (prepared.kind === "not_called") return prepared;
  const { endpoint, event, secrets } = prepared;
  const id = eventId(event.ulid);
  const headers = {
    ...signWebhook(secrets, id, event.body, now()),
    "svc-event-id": id,
    "svc-event-type": event.type,
    "svc-delivery-id": deliveryId(event.ulid, endpoint.id),
  };
  const request = { url: endpoint.url, poolKey: endpoint.id, headers, body: event.body, answerTimeout };
  return { kind: "called", outcome: await atStage("call", ports.webhookClient.send(request)) };
}

/**
 * Whether an attempt must be made again on the slow deliveries queue: its receiver had no time to answer there. It is
 * aborted here, so that no batch waits longer for a receiver. The attempt does not count, and the receiver may see the
 * event twice.
 */
export function isUnanswered(answered: AnsweredAttempt<unknown>, { slow }: { readonly slow: boolean }): boolean {
  if (slow || answered.kind === "not_called") return false;
  return answered.outcome.kind === "no_answer" && answered.outcome.error === "timeout";
}

/** @param judgeOutcome the verdict about a call */
export function judge<V>(answered: AnsweredAttempt<V>, judgeOutcome: (outcome: AttemptOutcome) => V): Judgement<V> {
  if (answered.kind === "not_called") return { outcome: null, verdict: answered.verdict };
  return { outcome: answered.outcome, verdict: judgeOutcome(answered.outcome) };
}

/** A stored delivery and its endpoint as it was read; null when that no longer exists. */
export interface StoredDelivery<E = Endpoint | null> {
  readonly tenant: TenantId;
  readonly endpoint: E;
  readonly row: DeliveryRow;
}

/** A delivery whose row is claimed, and its endpoint's secrets, which were opened before. */
export interface ClaimedDelivery extends StoredDelivery {
  readonly secrets: readonly string[];
}

/**
 * Prepares the attempt of a delivery whose row is claimed. Its endpoint or event may no longer allow a call.
 * @throws when the table fails. The claim is given back then, so that the attempt is due and not spent
 * @throws UnreleasedClaim when that fails too
 */
export async function prepareClaimed(
  ports: DeliverPorts,
  { tenant, endpoint, row, secrets }: ClaimedDelivery,
  { now }: Pick<Batch, "now">,
): Promise<PreparedAttempt> {
  const load = loadRenderedEvent(ports, tenant, row).catch(async (error: unknown) => {
    await ports.deliveries.releaseDelivery(tenant, row, now()).catch(() => {
      throw row.op === null ? error : new UnreleasedClaim(row.op, error);
    });
    throw error;
  });
  const event = await atStage("prepare", load);
  if (!endpoint || endpoint.status === "deleted" || !event) return withoutCall({ status: "failed" });
  if (endpoint.status === "paused") return withoutCall({ status: "blocked" });
  if (now() >= row.createdAt + RETENTION) return withoutCall({ status: "dlq" });
  return { kind: "ready", endpoint, event, secrets };
}

/**
 * The secrets that sign for an endpoint at `now`; none for one that is not called. Opened before a delivery is claimed: a
 * key that cannot be used spends no attempt.
 */
export function openSigningSecrets(
  ports: Pick<DeliverPorts, "vault">,
  signed: Pick<StoredDelivery, "tenant" | "endpoint"> & { readonly now: Millis },
): Promise<string[]> {
  return atStage("prepare", openSecrets(ports, signed));
}

async function openSecrets(
  { vault }: Pick<DeliverPorts, "vault">,
  { tenant, endpoint, now }: Pick<StoredDelivery, "tenant" | "endpoint"> & { readonly now: Millis },
): Promise<string[]> {
  if (endpoint?.status !== "active") return [];
  const encryptionContext = { purpose: "webhook-secret", tenant, owner: endpoint.id } as const;
  const sealedSecrets = [
    endpoint.sealedSecret,
    endpoint.secondary && endpoint.secondary.expiresAt > now ? endpoint.secondary.sealedSecret : null,
  ].filter((secret) => secret !== null);
  if (sealedSecrets.length === 0) throw new Error("The endpoint has no signing secret.");
  return allDone(sealedSecrets.map((secret) => vault.open(secret, encryptionContext)));
}
