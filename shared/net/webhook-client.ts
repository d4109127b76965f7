import type { AttemptOutcome } from "../domain/delivery/deliveries.ts";
import { API_VERSION } from "../domain/events/events.ts";
import { ATTEMPT_TIMEOUT, CONNECT_TIMEOUT, SLOW_ATTEMPT_THRESHOLD } from "../domain/limits.ts";
import { clockNow, type Millis } from "../kernel/time.ts";
import { AttemptFailure, classifyFailure } from "./attempt-failure.ts";
import { createConnectionPools } from "./connection-pools.ts";
import type { Gate } from "./egress-gate.ts";
import { Exchange } from "./exchange.ts";
import { createPinnedConnector } from "./pinned-connector.ts";
import { parseRetryAfter } from "./retry-after.ts";

interface WebhookRequest {
  readonly url: string;
  /** Whose connections it uses, by any name: attempts of one lane never wait for those of another, whatever their URLs. */
  readonly poolKey: string;
  /** Our own, by lowercase name; never a tenant's. Content type and user agent are set here. */
  readonly headers: Record<string, string>;
  /** JSON, sent as it is. */
  readonly body: string;
}

export interface WebhookClient {
  /**
   * Makes one attempt and says what came of it; never what the receiver wrote. Redirects are answers like any other.
   * A 2xx counts once its whole body has come, at most 64 KiB of it; any other status stands whatever its body does.
   * @param onSlow called once when the attempt is under way for three seconds
   * @throws only for a request that can never be sent (a line break in a header, a closed poster)
   */
  send(request: WebhookRequest, onSlow?: () => void): Promise<AttemptOutcome>;
  /** Lets the attempts under way end, then closes every connection. */
  close(): Promise<void>;
}

export interface WebhookClientOptions {
  readonly gate: Gate;
  /** Told to receivers: `Parley/<version>`. The API's version by default. */
  readonly version?: string;
  readonly now?: () => Millis;
  /** The whole attempt, from look-up to last byte; 15 s by default. */
  readonly attemptTimeout?: Millis;
  /** When `onSlow` is called; 3 s by default. */
  readonly slowAfter?: Millis;
  /** Within it, from the first packet to the end of the TLS handshake; 5 s by default. */
  readonly connectTimeout?: Millis;
  /** Connections of one lane to one origin: an attempt beyond them waits, within its time; 10 by default. */
  readonly connectionsPerPool?: number;
  /**
   * Pairs of lane and origin whose connections are remembered; 500 by default. Beyond it the pair used longest ago is
   * let go: its attempts end as they would, and its next one makes a new connection.
   */
  readonly poolsMax?: number;
  /** Connections open at once before idle ones make room, all lanes together; 500 by default. */
  readonly connectionsMax?: number;
}

/** As many as a worker's batch has messages, so that attempts of one batch wait for no connection. */
const CONNECTIONS_PER_POOL = 10;
const POOLS_MAX = 500;
/** More than the 200 attempts of a batch, and well below the 1,024 files that a process may have open in Lambda. */
const CONNECTIONS_MAX = 500;

export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { gate, version = API_VERSION, now = clockNow } = options;
  const attemptTimeout = options.attemptTimeout ?? ATTEMPT_TIMEOUT;
  const connect = createPinnedConnector({
    gate,
    lookupTimeout: attemptTimeout,
    connectTimeout: options.connectTimeout ?? CONNECT_TIMEOUT,
  });
  const pools = createConnectionPools({
    connect,
    now,
    connectionsPerPool: options.connectionsPerPool ?? CONNECTIONS_PER_POOL,
    poolsMax: options.poolsMax ?? POOLS_MAX,
    connectionsMax: options.connectionsMax ?? CONNECTIONS_MAX,
  });
  const fixedHeaders = {
    "content-type": "application/json",
    "user-agent": `Parley/${version}`,
    accept: "*/*",
    // The body is counted and dropped, never decoded: whatever is compressed regardless stays so, a bomb included.
    "accept-encoding": "identity",
  };
  const inFlight = new Set<Promise<AttemptOutcome>>();
  let closed = false;

  async function attempt(webhook: WebhookRequest, onSlow?: () => void): Promise<AttemptOutcome> {
    const { poolKey, headers, body } = webhook;
    const check = gate.checkUrl(webhook.url);
    if (!check.ok) return { kind: "refused_by_gate", reason: check.reason };
    const { url } = check;
    const startedAt = now();
    const exchange = new Exchange();
    const deadline = setTimeout(() => exchange.abort(new AttemptFailure({ error: "timeout" })), attemptTimeout);
    const slow = onSlow && setTimeout(onSlow, options.slowAfter ?? SLOW_ATTEMPT_THRESHOLD);
    try {
      const request = {
        method: "POST",
        path: url.pathname + url.search,
        headers: { ...headers, ...fixedHeaders },
        body,
      };
      const { status, retryAfter } = await pools.use(poolKey, url.origin, (pool) => exchange.send(pool, request));
      const endedAt = now();
      return {
        kind: "answered",
        status,
        retryAfter: parseRetryAfter(retryAfter, endedAt),
        durationMs: Math.max(0, endedAt - startedAt),
      };
    } catch (error) {
      const failure = classifyFailure(error);
      if ("refused" in failure) return { kind: "refused_by_gate", reason: failure.refused };
      return { kind: "no_answer", error: failure.error, durationMs: Math.max(0, now() - startedAt) };
    } finally {
      clearTimeout(deadline);
      clearTimeout(slow);
    }
  }

  return {
    async send(request, onSlow) {
      if (closed) throw new Error("The poster is closed: create another one to send more.");
      const pending = attempt(request, onSlow);
      inFlight.add(pending);
      try {
        return await pending;
      } finally {
        inFlight.delete(pending);
      }
    },

    async close() {
      closed = true;
      await Promise.allSettled(inFlight);
      await pools.destroy();
    },
  };
}
