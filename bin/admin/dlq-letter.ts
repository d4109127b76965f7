import { contentsOf } from "../../shared/flows/dead-letters/decode.ts";
import type { KeptLetter } from "../../shared/stores/dead-letters/quarantine.ts";

const steps = {
  probe: "a trial whether one delivery comes through to",
  drain: "handing out what waits for",
  failing: "a look whether to tell the owners of",
} as const;

/** What a letter is, in one line. */
export function inWords(letter: KeptLetter): string {
  const size = sizeOf(letter.bytes);
  const contents = contentsOf(letter);
  switch (contents.kind) {
    case "webhook":
      return contents.webhook.file ? "a platform webhook, in the bucket" : `a platform webhook, ${size}`;
    case "event":
      return `an event ${contents.event.type} of tenant ${contents.event.tenant}, which some endpoints may not have got`;
    case "attempt": {
      const { attempt, endpointId, tenant } = contents.attempt;
      return `a delivery's attempt ${attempt} to endpoint ${endpointId} of tenant ${tenant}`;
    }
    case "step":
      return `${steps[contents.step.step]} endpoint ${contents.step.endpointId} of tenant ${contents.step.tenant}`;
    case "profile":
      return `a look-up of a person of tenant ${contents.profile.tenant}`;
    case "erasure":
      return `the erasing of a conversation of tenant ${contents.erasure.tenant}, not ended`;
    case "unreadable":
      return letter.cut
        ? `${size}, of which only the beginning is kept: it cannot be redriven`
        : `${size} that its worker cannot read`;
  }
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
