import { readVersion } from "#base/queues/envelope.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { decodeDeadLetter } from "#features/dead-letters/decode.ts";
import type { QuarantinedMessage } from "#features/dead-letters/store/quarantine.ts";
import type { InboundMessage } from "#features/inbox/queue.ts";

const taskDescriptions = {
  probe: "probe",
  drain: "drain",
  warn: "failure check",
} as const;

const accountTaskDescriptions = {
  finish_connect: "unfinished connection",
  disconnect: "unfinished disconnection",
  check: "check",
  reconcile_subscription: "check of a subscription",
  backfill: "search for missed messages",
  erase_conversations: "unfinished erasure of the conversations",
} as const;

/** One line about a dead letter. */
export function describeDeadLetter(letter: QuarantinedMessage): string {
  const size = formatBytes(letter.bytes);
  const decodedLetter = decodeDeadLetter(letter);
  switch (decodedLetter.kind) {
    case "webhook":
      return describeWebhook(decodedLetter.webhook, size);
    case "event":
      return `event ${decodedLetter.event.type} of tenant ${decodedLetter.event.tenant}, possibly missing at some endpoints`;
    case "attempt": {
      const { attempt, endpointId, tenant } = decodedLetter.attempt;
      return `delivery attempt ${attempt} to endpoint ${endpointId} of tenant ${tenant}`;
    }
    case "task":
      return `${taskDescriptions[decodedLetter.task.kind]} of endpoint ${decodedLetter.task.endpointId} of tenant ${decodedLetter.task.tenant}`;
    case "profile":
      return `profile lookup for tenant ${decodedLetter.profile.tenant}`;
    case "erasure":
      return `unfinished erasure of a conversation of tenant ${decodedLetter.erasure.tenant}`;
    case "mail":
      return decodedLetter.mail.kind === "invite"
        ? `mail of an invite to tenant ${decodedLetter.mail.tenant}`
        : "mail with a sign-in link";
    case "upload":
      return `upload ${decodedLetter.upload.uploadId} of tenant ${decodedLetter.upload.tenant}`;
    case "account_task": {
      const { op, account, tenant } = decodedLetter.accountTask;
      return `${accountTaskDescriptions[op]} of account ${accountKey(account)} of tenant ${tenant}`;
    }
    case "realtime":
      return `frames for the sockets of tenant ${decodedLetter.realtime.tenant}`;
    case "unreadable":
      return letter.cut
        ? `message of ${size}, truncated and therefore not redrivable`
        : `message of ${size}, ${describeVersion(letter.body)}, that its worker cannot read`;
  }
}

/** A broken body names no version. */
function describeVersion(body: string): string {
  const version = readVersion(body);
  return version === null ? "of no version" : `version ${version}`;
}

function describeWebhook({ file, part }: InboundMessage, size: string): string {
  const name = part ? `part ${part.number} of platform webhook ${part.webhook}` : "platform webhook";
  return `${name}, ${file ? "stored in the bucket" : size}`;
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
