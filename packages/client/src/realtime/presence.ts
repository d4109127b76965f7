import type { components } from "../api-types.ts";

type PresenceFrame = components["schemas"]["PresenceFrame"];

/** What a person does with a conversation. */
export type PresenceState = PresenceFrame["state"];

/** How long the others show a state that is not repeated, in milliseconds. `left` is not shown. */
export const PRESENCE_LIFETIME_MS: Readonly<Record<PresenceState, number>> = {
  reading: 90_000,
  writing: 12_000,
  left: 0,
};

/** After how long a state is sent again, so that the others do not forget it. The end of a state is sent once. */
const REPEAT_AFTER_MS: Readonly<Record<PresenceState, number>> = {
  reading: 60_000,
  writing: 6_000,
  left: Number.POSITIVE_INFINITY,
};
/** Half of the frames that the service accepts in a minute. */
const REPORTS_MAX = 30;
const MINUTE_MS = 60_000;

type Report = Omit<PresenceFrame, "type">;

/** Decides which reports of presence are sent. */
export class PresenceReports {
  #last: (Report & { readonly at: number }) | null = null;
  #sentAt: number[] = [];

  /** @param send whether the frame was sent @returns whether the state is known to the others */
  report({ conversation_id, state }: Report, now: number, send: (frame: PresenceFrame) => boolean): boolean {
    const last = this.#last;
    const isSame = last?.conversation_id === conversation_id && last.state === state;
    if (isSame && now - last.at < REPEAT_AFTER_MS[state]) return true;
    this.#sentAt = this.#sentAt.filter((at) => now - at < MINUTE_MS);
    if (this.#sentAt.length >= REPORTS_MAX || !send({ type: "presence", conversation_id, state })) return false;
    this.#sentAt.push(now);
    this.#last = { conversation_id, state, at: now };
    return true;
  }

  /** A new connection has reported nothing. */
  forget(): void {
    this.#last = null;
  }
}
