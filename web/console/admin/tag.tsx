import type { Tone } from "./tones.ts";

/** A state in a word. Its shape differs with its tone, too. */
export function Tag({ tone, children }: { tone: Tone; children: string }) {
  return <span className={`tag ${tone}`}>{children}</span>;
}
