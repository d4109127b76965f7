import { eventId, type RenderedEvent } from "#base/events/events.ts";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { DeliverPorts } from "../ports.ts";
import { loadRenderedEvent } from "../rendered-events.ts";
import { deliveryId, type Verdict } from "../rules/deliveries.ts";
import { signWebhook } from "../rules/signatures.ts";
import { UnreleasedClaim } from "../rules/unreleased-claim.ts";
import type { DeliveryRow } from "../store/delivery-items.ts";
import type { Batch } from "./batch.ts";

/** An event for one endpoint, at the time of the attempt. */
interface Attempt {
  readonly tenant: TenantId;
  readonly endpoint: Endpoint;
  readonly event: RenderedEvent;
  /** Those that are valid now. */
  readonly secrets: readonly string[];
  readonly now: Millis;
  /** The time limit of the call. */
  readonly timeout: Millis;
}

/**
 * Posts an event to one endpoint, signed with each secret. Endpoints do not share connections,
 * even on the same host.
 */
export async function makeAttempt(
  ports: Pick<DeliverPorts, "webhookClient">,
  attempt: Attempt,
): Promise<AttemptOutcome> {
  const { endpoint, event, secrets, now, timeout } = attempt;
  const id = eventId(event.ulid);
  const headers = {
    ...signWebhook(secrets, id, event.body, now),
    "svc-event-id": id,
    "svc-event-type": event.type,
    "svc-delivery-id": deliveryId(event.ulid, endpoint.id),
  };
  return ports.webhookClient.send({ url: endpoint.url, poolKey: endpoint.id, headers, body: event.body, timeout });
}

/** A stored delivery and its endpoint as it was read; null when that no longer exists. */
export interface StoredDelivery<E = Endpoint | null> {
  readonly tenant: TenantId;
  readonly endpoint: E;
  readonly row: DeliveryRow;
}

/** The result of attempting a claimed delivery: the endpoint's answer, or a verdict without a call. */
export type ClaimedResult =
  | { readonly outcome: AttemptOutcome; readonly verdict: null }
  | { readonly outcome: null; readonly verdict: Verdict };

/** A delivery whose row is claimed, and its endpoint's secrets, which were opened before. */
export interface ClaimedDelivery extends StoredDelivery {
  readonly secrets: readonly string[];
}

/**
 * Attempts a delivery whose row is claimed, unless its endpoint or event no longer allows it.
 * @throws when the table fails before the call. The claim is given back then, so that the attempt is due and not spent
 * @throws UnreleasedClaim when that fails too
 */
export async function attemptClaimed(
  ports: DeliverPorts,
  { tenant, endpoint, row, secrets }: ClaimedDelivery,
  { now, attemptTimeout: timeout }: Pick<Batch, "now" | "attemptTimeout">,
): Promise<ClaimedResult> {
  const event = await loadRenderedEvent(ports, tenant, row).catch(async (error: unknown) => {
    await ports.deliveries.releaseDelivery(tenant, row, now()).catch(() => {
      throw row.op === null ? error : new UnreleasedClaim(row.op, error);
    });
    throw error;
  });
  if (!endpoint || endpoint.status === "deleted" || !event) return { outcome: null, verdict: { status: "failed" } };
  if (endpoint.status === "paused") return { outcome: null, verdict: { status: "blocked" } };
  if (now() >= row.createdAt + RETENTION) return { outcome: null, verdict: { status: "dlq" } };
  const outcome = await makeAttempt(ports, { tenant, endpoint, event, secrets, now: now(), timeout });
  return { outcome, verdict: null };
}

/**
 * The secrets that sign for an endpoint at `now`; none for one that is not called. Opened before a delivery is claimed: a
 * key that cannot be used spends no attempt.
 */
export async function openSigningSecrets(
  ports: Pick<DeliverPorts, "vault">,
  { tenant, endpoint, now }: Pick<Attempt, "tenant" | "now"> & { readonly endpoint: Endpoint | null },
): Promise<string[]> {
  if (endpoint?.status !== "active") return [];
  const encryptionContext = { purpose: "webhook-secret", tenant, owner: endpoint.id } as const;
  const sealedSecrets = [
    endpoint.sealedSecret,
    endpoint.secondary && endpoint.secondary.expiresAt > now ? endpoint.secondary.sealedSecret : null,
  ].filter((secret) => secret !== null);
  if (sealedSecrets.length === 0) throw new Error("The endpoint has no signing secret.");
  return allDone(sealedSecrets.map((secret) => ports.vault.open(secret, encryptionContext)));
}
