import type { Mail } from "../../aws/mail.ts";
import { AUTO_PAUSE_AFTER } from "../../domain/limits.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { errorClass } from "../../kernel/error-class.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { iso, type Millis } from "../../kernel/time.ts";
import type { DeliverPorts } from "./ports.ts";

export type MailPorts = Pick<DeliverPorts, "mail" | "tenants" | "log">;

/** What is said of a failing endpoint: its id and its host. The rest of an address may hold a secret. */
interface FailingEndpoint {
  readonly endpoint: Endpoint;
  readonly since: Millis;
}

const retentionNote = "What comes while it is paused is kept as blocked deliveries, each for 7 days.";
const resumeSteps =
  "put its receiver right, then make the endpoint active again (PATCH /v1/webhooks/{id} with status " +
  '"active") and replay what was blocked (POST /v1/webhooks/{id}/deliveries/replay with status=blocked).';

const MINUTE_CHARS = "2026-01-01T00:00".length;

export function warningMail(tenant: TenantId, { endpoint, since }: FailingEndpoint): Omit<Mail, "to"> {
  const host = endpointHost(endpoint);
  return {
    subject: `Webhook deliveries to ${host} are failing`,
    text: joinParagraphs(
      `Every delivery to a webhook endpoint of "${tenant}" has failed since ${formatMinute(since)}.`,
      `Endpoint: ${endpoint.id}\nHost: ${host}\nFailed attempts: ${endpoint.breaker.failedSince}`,
      `If this goes on, the endpoint is paused at about ${formatMinute(since + AUTO_PAUSE_AFTER)}. Events wait until then, and ` +
        "are delivered by themselves as soon as it answers with a status from 200 to 299.",
      "What to do: see what the endpoint answers (GET /v1/webhooks/{id}/deliveries/summary lists it), and put its " +
        "receiver right. If it has moved, change its url (PATCH /v1/webhooks/{id}).",
    ),
  };
}

export function pausedMail(tenant: TenantId, { endpoint, since }: FailingEndpoint): Omit<Mail, "to"> {
  const host = endpointHost(endpoint);
  return {
    subject: `Webhook deliveries to ${host} are paused`,
    text: joinParagraphs(
      `Every delivery to a webhook endpoint of "${tenant}" has failed since ${formatMinute(since)}, so it is paused.`,
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
      `A webhook endpoint of "${tenant}" answered 410: it wants no more deliveries, so it is paused.`,
      `Endpoint: ${id}\nHost: ${host}`,
      retentionNote,
      `What to do: if it is gone for good, delete it (DELETE /v1/webhooks/{id}). If not, ${resumeSteps}`,
    ),
  };
}

/** Sends a mail to a tenant's owner. Never fails: the log says why none was sent. */
export async function mailOwner(ports: MailPorts, tenant: TenantId, mail: Omit<Mail, "to">): Promise<void> {
  const logNotSent = (reason: string) => ports.log({ event: "mail.not_sent", reason });
  if (!ports.mail) return logNotSent("no_sender");
  try {
    const owner = (await ports.tenants.get(tenant))?.ownerEmail;
    if (!owner) return logNotSent("no_owner");
    await ports.mail.send({ ...mail, to: owner });
  } catch (error) {
    logNotSent(errorClass(error));
  }
}

function endpointHost({ url }: Pick<Endpoint, "url">): string {
  return new URL(url).host;
}

/** "2026-11-21 15:12 UTC" */
function formatMinute(at: Millis): string {
  return `${iso(at).slice(0, MINUTE_CHARS).replace("T", " ")} UTC`;
}

function joinParagraphs(...paragraphs: readonly string[]): string {
  return `${paragraphs.join("\n\n")}\n`;
}
