import type { Mail } from "#base/aws/mail.ts";
import { AUTO_PAUSE_AFTER } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { formatMinute, joinParagraphs } from "#features/access/mails.ts";
import type { EndpointNotice } from "#features/access/queue.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { Endpoints } from "#features/webhooks/store/endpoints.ts";

/** A mail names an endpoint by its id and host. The rest of its URL may contain a secret. */
interface FailingEndpoint {
  readonly endpoint: Endpoint;
  readonly since: Millis;
}

const retentionNote = "Events that occur while it is paused are stored as blocked deliveries for 7 days.";
const resumeSteps =
  'fix the receiver, set the endpoint\'s status to "active" (PATCH /v1/webhooks/{id}), and replay the blocked ' +
  "deliveries (POST /v1/webhooks/{id}/deliveries/replay with status=blocked).";

/**
 * The mail of a notice, from the row of its endpoint.
 * @returns null when it is not true any more: the endpoint works again, was deleted or activated
 */
export async function endpointNoticeMail(
  endpoints: Pick<Endpoints, "get">,
  tenant: TenantId,
  { what, endpointId, since }: EndpointNotice,
): Promise<Omit<Mail, "to"> | null> {
  const endpoint = await endpoints.get(tenant, endpointId);
  if (endpoint?.status !== (what === "failing" ? "active" : "paused")) return null;
  if (since === null) return goneMail(tenant, endpoint);
  if (endpoint.breaker.failingSince !== since) return null;
  return what === "failing" ? warningMail(tenant, { endpoint, since }) : pausedMail(tenant, { endpoint, since });
}

function warningMail(tenant: TenantId, { endpoint, since }: FailingEndpoint): Omit<Mail, "to"> {
  const host = endpointHost(endpoint);
  return {
    subject: `Webhook deliveries to ${host} are failing`,
    text: joinParagraphs(
      `Every delivery to a webhook endpoint of "${tenant}" has failed since ${formatMinute(since)}.`,
      `Endpoint: ${endpoint.id}\nHost: ${host}\nFailed attempts: ${endpoint.breaker.failedSince}`,
      `If deliveries keep failing, Parley pauses the endpoint at about ${formatMinute(since + AUTO_PAUSE_AFTER)}. Until then ` +
        "events wait, and Parley delivers them as soon as the endpoint answers with a status from 200 to 299.",
      "What to do: check the endpoint's responses (GET /v1/webhooks/{id}/deliveries/summary) and fix the receiver. " +
        "If the receiver has moved, change the endpoint's url (PATCH /v1/webhooks/{id}).",
    ),
  };
}

function pausedMail(tenant: TenantId, { endpoint, since }: FailingEndpoint): Omit<Mail, "to"> {
  const host = endpointHost(endpoint);
  return {
    subject: `Webhook deliveries to ${host} are paused`,
    text: joinParagraphs(
      `Every delivery to a webhook endpoint of "${tenant}" has failed since ${formatMinute(since)}. Parley has paused it.`,
      `Endpoint: ${endpoint.id}\nHost: ${host}\nFailed attempts: ${endpoint.breaker.failedSince}`,
      retentionNote,
      `What to do: ${resumeSteps}`,
    ),
  };
}

function goneMail(tenant: TenantId, { id, url }: Pick<Endpoint, "id" | "url">): Omit<Mail, "to"> {
  const host = endpointHost({ url });
  return {
    subject: `Webhook deliveries to ${host} are paused`,
    text: joinParagraphs(
      `A webhook endpoint of "${tenant}" answered 410 Gone. Parley has paused it.`,
      `Endpoint: ${id}\nHost: ${host}`,
      retentionNote,
      `What to do: if the receiver no longer exists, delete the endpoint (DELETE /v1/webhooks/{id}). If it does, ${resumeSteps}`,
    ),
  };
}

function endpointHost({ url }: Pick<Endpoint, "url">): string {
  return new URL(url).host;
}
