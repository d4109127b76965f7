import { createHash } from "node:crypto";
import type { AttemptOutcome } from "../../../shared/domain/delivery/deliveries.ts";
import { ATTEMPT_TIMEOUT, SLOW_ATTEMPT } from "../../../shared/domain/limits.ts";
import type { Millis } from "../../../shared/kernel/time.ts";
import type { Poster } from "../../../shared/net/webhook-client.ts";
import type { VirtualTime } from "../virtual-time.ts";

/** One POST, in virtual time; still under way until it has an end. */
export interface VirtualCall {
  readonly url: string;
  readonly event: string;
  readonly begunAt: Millis;
  endedAt: Millis | null;
}

/** How long a receiver takes for a call, and with which status it answers then; null for one that never answers. */
export type Manner = (url: string, event: string) => { readonly takes: Millis; readonly status: number } | null;

/** The fastest answer, and how much longer one takes on the average. */
const ANSWER_MIN: Millis = 80;
const ANSWER_MORE: Millis = 120;

/** Well and quick: the time follows from the call, so that two runs see the same. */
export const well: Manner = (url, event) => {
  const draw =
    createHash("sha256")
      .update(`${url.split("/").at(-1)} ${event}`)
      .digest()
      .readUInt32BE(0) /
    2 ** 32;
  return { takes: Math.round((ANSWER_MIN - ANSWER_MORE * Math.log(1 - draw)) / 10) * 10, status: 200 };
};

/** Receivers that answer in virtual time, once `begin` was called. */
export function virtualReceivers() {
  let time: Pick<VirtualTime, "now" | "sleep"> | null = null;
  let manner: Manner = well;
  let names: ReadonlyMap<string, string> = new Map();
  let calls: VirtualCall[] = [];

  const poster: Poster = {
    async post({ url, headers }, onSlow) {
      if (!time) throw new Error("Virtual receivers answer once they have a time.");
      const event = names.get(String(headers["svc-event-id"])) ?? "";
      const call: VirtualCall = { url, event, begunAt: time.now(), endedAt: null };
      calls.push(call);
      const outcome = await answer(time, manner(url, event), onSlow);
      call.endedAt = time.now();
      return outcome;
    },
    close: async () => {},
  };

  return {
    poster,
    /** @param eventNames what a run calls its events, by their ids: the same in every run */
    begin(begun: Pick<VirtualTime, "now" | "sleep">, how: Manner, eventNames: ReadonlyMap<string, string>): void {
      [time, manner, names, calls] = [begun, how, eventNames, []];
    },
    calls: (): readonly VirtualCall[] => calls,
  };
}

async function answer(
  time: Pick<VirtualTime, "sleep">,
  how: ReturnType<Manner>,
  onSlow: (() => void) | undefined,
): Promise<AttemptOutcome> {
  const takes = Math.min(how?.takes ?? ATTEMPT_TIMEOUT, ATTEMPT_TIMEOUT);
  await time.sleep(Math.min(takes, SLOW_ATTEMPT));
  if (takes > SLOW_ATTEMPT) {
    onSlow?.();
    await time.sleep(takes - SLOW_ATTEMPT);
  }
  if (!how || takes >= ATTEMPT_TIMEOUT) return { kind: "no_answer", error: "timeout", durationMs: ATTEMPT_TIMEOUT };
  return { kind: "answered", status: how.status, retryAfter: null, durationMs: takes };
}
