import { iso, type Millis } from "#base/kernel/time.ts";

const MINUTE_CHARS = "2026-01-01T00:00".length;

/** "2026-11-21 15:12 UTC" */
export function formatMinute(at: Millis): string {
  return `${iso(at).slice(0, MINUTE_CHARS).replace("T", " ")} UTC`;
}

export function joinParagraphs(...paragraphs: readonly string[]): string {
  return `${paragraphs.join("\n\n")}\n`;
}
