import { decodeDeadLetter } from "../../shared/flows/dead-letters/decode.ts";
import type { QuarantinedMessage } from "../../shared/stores/dead-letters/quarantine.ts";

const taskDescriptions = {
  probe: "a trial whether one delivery comes through to",
  drain: "handing out what waits for",
  failing: "a look whether to tell the owners of",
} as const;

/** What a letter is, in one line. */
export function describeDeadLetter(letter: QuarantinedMessage): string {
  const size = formatBytes(letter.bytes);
  const decoded = decodeDeadLetter(letter);
  switch (decoded.kind) {
    case "webhook":
      return decoded.webhook.file ? "a platform webhook, in the bucket" : `a platform webhook, ${size}`;
    case "event":
      return `an event ${decoded.event.type} of tenant ${decoded.event.tenant}, which some endpoints may not have got`;
    case "attempt": {
      const { attempt, endpointId, tenant } = decoded.attempt;
      return `a delivery's attempt ${attempt} to endpoint ${endpointId} of tenant ${tenant}`;
    }
    case "step":
      return `${taskDescriptions[decoded.step.step]} endpoint ${decoded.step.endpointId} of tenant ${decoded.step.tenant}`;
    case "profile":
      return `a look-up of a person of tenant ${decoded.profile.tenant}`;
    case "erasure":
      return `the erasing of a conversation of tenant ${decoded.erasure.tenant}, not ended`;
    case "unreadable":
      return letter.cut
        ? `${size}, of which only the beginning is kept: it cannot be redriven`
        : `${size} that its worker cannot read`;
  }
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
