import { decodeDeadLetter } from "../../shared/flows/dead-letters/decode.ts";
import type { QuarantinedMessage } from "../../shared/stores/dead-letters/quarantine.ts";

const taskDescriptions = {
  probe: "probe",
  drain: "drain",
  warn: "failure check",
} as const;

/** One line about a dead letter. */
export function describeDeadLetter(letter: QuarantinedMessage): string {
  const size = formatBytes(letter.bytes);
  const decoded = decodeDeadLetter(letter);
  switch (decoded.kind) {
    case "webhook":
      return decoded.webhook.file ? "platform webhook, stored in the bucket" : `platform webhook, ${size}`;
    case "event":
      return `event ${decoded.event.type} of tenant ${decoded.event.tenant}, possibly missing at some endpoints`;
    case "attempt": {
      const { attempt, endpointId, tenant } = decoded.attempt;
      return `delivery attempt ${attempt} to endpoint ${endpointId} of tenant ${tenant}`;
    }
    case "task":
      return `${taskDescriptions[decoded.task.kind]} of endpoint ${decoded.task.endpointId} of tenant ${decoded.task.tenant}`;
    case "profile":
      return `profile lookup for tenant ${decoded.profile.tenant}`;
    case "erasure":
      return `unfinished erasure of a conversation of tenant ${decoded.erasure.tenant}`;
    case "unreadable":
      return letter.cut
        ? `message of ${size}, truncated and therefore not redrivable`
        : `message of ${size} that its worker cannot read`;
  }
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
