import type { Mail } from "#base/aws/mail.ts";
import { AUTO_PAUSE_AFTER } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { fillText, type MailTexts } from "#base/languages/texts.ts";
import { formatMinute, joinParagraphs } from "#features/access/mails.ts";
import type { EndpointNotice } from "#features/access/queue.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { Endpoints } from "#features/webhooks/store/endpoints.ts";

type MailText = Omit<Mail, "to">;

/** A mail names an endpoint by its id and host. The rest of its URL may contain a secret. */
interface FailingEndpoint {
  readonly endpoint: Endpoint;
  readonly since: Millis;
}

/**
 * The mail of a notice, from the row of its endpoint.
 * @returns null when it is not true any more: the endpoint works again, was deleted or activated
 */
export async function endpointNoticeMail(
  endpoints: Pick<Endpoints, "get">,
  texts: MailTexts,
  tenant: TenantId,
  { what, endpointId, since }: EndpointNotice,
): Promise<MailText | null> {
  const endpoint = await endpoints.get(tenant, endpointId);
  if (endpoint?.status !== (what === "failing" ? "active" : "paused")) return null;
  if (since === null) return goneMail(texts, tenant, endpoint);
  if (endpoint.breaker.failingSince !== since) return null;
  const failing = { endpoint, since };
  return what === "failing" ? warningMail(texts, tenant, failing) : pausedMail(texts, tenant, failing);
}

function warningMail(texts: MailTexts, tenant: TenantId, { endpoint, since }: FailingEndpoint): MailText {
  const host = endpointHost(endpoint);
  return {
    subject: fillText(texts.endpointFailingSubject, { host }),
    text: joinParagraphs(
      fillText(texts.endpointFailing, { tenant, time: formatMinute(since) }),
      failureFacts(texts, endpoint),
      fillText(texts.endpointPauseAt, { time: formatMinute(since + AUTO_PAUSE_AFTER) }),
      texts.endpointFix,
    ),
  };
}

function pausedMail(texts: MailTexts, tenant: TenantId, { endpoint, since }: FailingEndpoint): MailText {
  const host = endpointHost(endpoint);
  return {
    subject: fillText(texts.endpointPausedSubject, { host }),
    text: joinParagraphs(
      fillText(texts.endpointPaused, { tenant, time: formatMinute(since) }),
      failureFacts(texts, endpoint),
      texts.endpointRetention,
      texts.endpointResume,
    ),
  };
}

function goneMail(texts: MailTexts, tenant: TenantId, endpoint: Pick<Endpoint, "id" | "url">): MailText {
  const host = endpointHost(endpoint);
  return {
    subject: fillText(texts.endpointPausedSubject, { host }),
    text: joinParagraphs(
      fillText(texts.endpointGone, { tenant }),
      endpointFacts(texts, endpoint),
      texts.endpointRetention,
      texts.endpointGoneFix,
    ),
  };
}

function endpointFacts(texts: MailTexts, endpoint: Pick<Endpoint, "id" | "url">): string {
  return fillText(texts.endpointFacts, { endpoint: endpoint.id, host: endpointHost(endpoint) });
}

function failureFacts(texts: MailTexts, endpoint: Endpoint): string {
  const failures = fillText(texts.endpointFailures, { count: endpoint.breaker.failedSince });
  return `${endpointFacts(texts, endpoint)}\n${failures}`;
}

function endpointHost({ url }: Pick<Endpoint, "url">): string {
  return new URL(url).host;
}
