import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import type { Millis } from "#base/kernel/time.ts";
import { SECOND } from "#base/kernel/time.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { untilRunning } from "../../support/world/processes.ts";
import type { Engine } from "../engine/engine.ts";
import type { Troubles } from "./troubles.ts";

/** How a receiver answers. `late` answers 200 after four seconds, `hang` never. */
export const receiverModes = ["ok", "error", "gone", "late", "hang", "reset"] as const;
export type ReceiverMode = (typeof receiverModes)[number];

/** A POST that a receiver got. */
export interface Post {
  readonly at: Millis;
  readonly url: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly deliveryId: string;
  readonly body: string;
  /** Whether the receiver accepted it. */
  readonly accepted: boolean;
}

const AT_ONCE: Millis = 5;
const LATE: Millis = 4 * SECOND;
const TIMEOUT: Millis = 15 * SECOND;

/** The receivers of all endpoints, by the URL that an endpoint has. */
export class Receivers {
  readonly posts: Post[] = [];
  readonly #modes = new Map<string, ReceiverMode>();
  readonly #engine: Engine;
  readonly #troubles: Troubles;

  constructor(engine: Engine, troubles: Troubles) {
    this.#engine = engine;
    this.#troubles = troubles;
  }

  setMode(url: string, mode: ReceiverMode): void {
    this.#modes.set(url, mode);
  }

  recover(): void {
    this.#modes.clear();
  }

  readonly client: WebhookClient = {
    send: async ({ url, poolKey, headers, body, answerTimeout: timeout = TIMEOUT }) => {
      await untilRunning();
      await this.#troubles.decide("POST");
      const mode = this.#modes.get(url) ?? "ok";
      const startedAt = this.#engine.now();
      const isAccepted = mode === "ok" || mode === "late";
      if (mode !== "reset") {
        this.posts.push({
          at: startedAt,
          url,
          endpointId: poolKey,
          eventId: headers["svc-event-id"] ?? "",
          type: headers["svc-event-type"] ?? "",
          deliveryId: headers["svc-delivery-id"] ?? "",
          body,
          accepted: isAccepted,
        });
      }
      const takes = mode === "hang" ? Infinity : mode === "late" ? LATE : AT_ONCE;
      await new Promise((resolve) => setTimeout(resolve, Math.min(takes, timeout)));
      await untilRunning();
      return toOutcome(takes > timeout ? "hang" : mode, this.#engine.now() - startedAt);
    },
    close: async () => {},
  };
}

function toOutcome(mode: ReceiverMode, durationMs: Millis): AttemptOutcome {
  if (mode === "hang") return { kind: "no_answer", error: "timeout", durationMs };
  if (mode === "reset") return { kind: "no_answer", error: "connect", durationMs };
  const status = { ok: 200, late: 200, error: 500, gone: 410 }[mode];
  return { kind: "answered", status, retryAfter: null, durationMs };
}
