import { createHash } from "node:crypto";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { ATTEMPT_TIMEOUT } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import type { VirtualTime } from "../virtual-time.ts";

/** One POST, in virtual time. It is in progress until it has an end. */
export interface VirtualCall {
  readonly url: string;
  readonly event: string;
  readonly startedAt: Millis;
  endedAt: Millis | null;
}

/** How long a receiver takes for a call, and its status; null for one that never responds. */
export type ReceiverBehavior = (
  url: string,
  event: string,
) => { readonly duration: Millis; readonly status: number } | null;

/** The fastest response, and the average time beyond it. */
const LATENCY_MIN: Millis = 80;
const LATENCY_MEAN_EXTRA: Millis = 120;

/** A healthy, fast receiver. The time follows from the call, so that two runs see the same times. */
export const healthy: ReceiverBehavior = (url, event) => {
  const fraction =
    createHash("sha256")
      .update(`${url.split("/").at(-1)} ${event}`)
      .digest()
      .readUInt32BE(0) /
    2 ** 32;
  return { duration: Math.round((LATENCY_MIN - LATENCY_MEAN_EXTRA * Math.log(1 - fraction)) / 10) * 10, status: 200 };
};

/** Receivers that respond in virtual time, after a call of `start`. */
export function virtualReceivers() {
  let time: Pick<VirtualTime, "now" | "sleep"> | null = null;
  let behavior: ReceiverBehavior = healthy;
  let nameByEvent: ReadonlyMap<string, string> = new Map();
  let calls: VirtualCall[] = [];

  const webhookClient: WebhookClient = {
    async send({ url, headers, answerTimeout = ATTEMPT_TIMEOUT }) {
      if (!time) throw new Error("Virtual receivers answer once they have a time.");
      const event = nameByEvent.get(String(headers["svc-event-id"])) ?? "";
      const call: VirtualCall = { url, event, startedAt: time.now(), endedAt: null };
      calls.push(call);
      const outcome = await answer(time, behavior(url, event), answerTimeout);
      call.endedAt = time.now();
      return outcome;
    },
    close: async () => {},
  };

  return {
    webhookClient,
    /** @param eventNames the names of a run's events by their IDs: the same in every run */
    start(
      clock: Pick<VirtualTime, "now" | "sleep">,
      nextBehavior: ReceiverBehavior,
      eventNames: ReadonlyMap<string, string>,
    ): void {
      [time, behavior, nameByEvent, calls] = [clock, nextBehavior, eventNames, []];
    },
    calls: (): readonly VirtualCall[] => calls,
  };
}

async function answer(
  time: Pick<VirtualTime, "sleep">,
  response: ReturnType<ReceiverBehavior>,
  timeout: Millis,
): Promise<AttemptOutcome> {
  const duration = Math.min(response?.duration ?? timeout, timeout);
  await time.sleep(duration);
  if (!response || duration >= timeout) return { kind: "no_answer", error: "timeout", durationMs: timeout };
  return { kind: "answered", status: response.status, retryAfter: null, durationMs: duration };
}
