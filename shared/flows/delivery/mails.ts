import type { Mail } from "../../aws/mail.ts";
import { AUTO_PAUSE_AFTER } from "../../domain/limits.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { errorClass } from "../../kernel/error-class.ts";
import { forEachConcurrent } from "../../kernel/parallel.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { formatMinute, joinParagraphs } from "../mail-text.ts";
import type { DeliverPorts } from "./ports.ts";

export type MailPorts = Pick<DeliverPorts, "mail" | "memberships" | "tenants" | "log">;

/** SES limits the mails of a second, to 14 at first. */
const MAILS_AT_ONCE = 5;

/** A mail names an endpoint by its id and host. The rest of its URL may contain a secret. */
interface FailingEndpoint {
  readonly endpoint: Endpoint;
  readonly since: Millis;
}

const retentionNote = "Events that occur while it is paused are stored as blocked deliveries for 7 days.";
const resumeSteps =
  'fix the receiver, set the endpoint\'s status to "active" (PATCH /v1/webhooks/{id}), and replay the blocked ' +
  "deliveries (POST /v1/webhooks/{id}/deliveries/replay with status=blocked).";

export function warningMail(tenant: TenantId, { endpoint, since }: FailingEndpoint): Omit<Mail, "to"> {
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

export function pausedMail(tenant: TenantId, { endpoint, since }: FailingEndpoint): Omit<Mail, "to"> {
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

export function goneMail(tenant: TenantId, { id, url }: Pick<Endpoint, "id" | "url">): Omit<Mail, "to"> {
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

/** Sends a mail to each owner of a tenant. Never fails: the log says why a mail was not sent. */
export async function mailOwners(ports: MailPorts, tenant: TenantId, mail: Omit<Mail, "to">): Promise<void> {
  const { mail: mailer } = ports;
  const logNotSent = (reason: string) => ports.log({ event: "mail.not_sent", reason });
  if (!mailer) return logNotSent("no_sender");
  try {
    const owners = await ownerAddresses(ports, tenant);
    if (owners.length === 0) return logNotSent("no_owner");
    // One mail each: an owner does not see the addresses of the others.
    await forEachConcurrent(owners, MAILS_AT_ONCE, async (to) => {
      try {
        const outcome = await mailer.send({ ...mail, to });
        if (outcome !== "accepted") logNotSent(outcome);
      } catch (error) {
        logNotSent(errorClass(error));
      }
    });
  } catch (error) {
    logNotSent(errorClass(error));
  }
}

/**
 * The addresses of a tenant's owners. Before the owner whom the operator named has signed in, it has no members; after
 * that, an owner always remains.
 */
async function ownerAddresses({ memberships, tenants }: MailPorts, tenant: TenantId): Promise<readonly string[]> {
  const owners = (await memberships.list(tenant)).filter(({ role }) => role === "owner");
  if (owners.length > 0) return owners.map(({ email }) => email);
  const namedOwner = (await tenants.get(tenant))?.ownerEmail;
  return namedOwner ? [namedOwner] : [];
}

function endpointHost({ url }: Pick<Endpoint, "url">): string {
  return new URL(url).host;
}
