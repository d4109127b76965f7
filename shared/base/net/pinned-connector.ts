import { constants } from "node:crypto";
import { connect as connectTcp, isIP, isIPv6, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { buildConnector } from "undici";
import type { LoopClock } from "../kernel/deadline.ts";
import type { Millis } from "../kernel/time.ts";
import { AttemptFailure } from "./attempt-failure.ts";
import type { Gate } from "./egress-gate.ts";
import { guardResponses } from "./responses.ts";
import { urlHost } from "./url-rules.ts";

/** Addresses tried before a host counts as unreachable. */
const ADDRESSES_TRIED_MAX = 3;

export interface PinnedConnectorOptions {
  readonly gate: Gate;
  /** The time limit of the DNS lookup. */
  readonly lookupTimeout: Millis;
  /** From the first packet to the end of the TLS handshake, over all addresses tried. */
  readonly connectTimeout: Millis;
  /** Measures both. */
  readonly loopClock: LoopClock;
}

/**
 * A connector that checks every connection with the egress gate and dials only the addresses that passed. The name is
 * resolved once, so that DNS cannot give the check and the connection different answers. Fails with AttemptFailure.
 */
export function createPinnedConnector(options: PinnedConnectorOptions): buildConnector.connector {
  async function open({ protocol, host, hostname, port }: buildConnector.Options): Promise<Socket> {
    const { gate, loopClock, lookupTimeout, connectTimeout } = options;
    const check = await withLimit(loopClock, lookupTimeout, (signal) =>
      gate.checkAndResolve(`${protocol}//${host ?? hostname}/`, signal),
    );
    if (!check.ok) {
      throw new AttemptFailure(check.cause === "dns" ? { error: "dns" } : { refused: check.reason });
    }
    const secure = check.url.protocol === "https:";
    const target = { name: urlHost(check.url), port: port === "" ? (secure ? 443 : 80) : Number(port), secure };
    return withLimit(loopClock, connectTimeout, (signal) =>
      dialFirst(check.addresses, target, { loopClock, timeout: connectTimeout, signal }),
    );
  }

  return (target, callback) => {
    open(target).then(
      (socket) => callback(null, socket),
      (error) => callback(error, null),
    );
  };
}

/** Runs `work` with a signal that aborts at a time limit. */
async function withLimit<T>(
  loopClock: LoopClock,
  limit: Millis,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const cancel = loopClock.after(limit, () => end.abort());
  try {
    return await work(end.signal);
  } finally {
    cancel();
  }
}

interface Target {
  readonly name: string;
  readonly port: number;
  readonly secure: boolean;
}

/** How long all addresses together may take. */
interface DialLimit {
  readonly loopClock: LoopClock;
  readonly timeout: Millis;
  /** Aborts after it. */
  readonly signal: AbortSignal;
}

/** Connects to the first address that accepts. All share one deadline; IPv4 goes first, as not every network has IPv6. */
async function dialFirst(addresses: readonly string[], target: Target, limit: DialLimit): Promise<Socket> {
  const candidates = [...addresses].sort((a, b) => Number(isIPv6(a)) - Number(isIPv6(b))).slice(0, ADDRESSES_TRIED_MAX);
  // Each address gets an equal share of the time, so that a silent one leaves time for the next.
  const share = Math.ceil(limit.timeout / candidates.length);
  let lastFailure = new AttemptFailure({ error: "connect" });
  for (const address of candidates) {
    const result = await dial(address, target, { ...limit, timeout: share });
    if (result.socket) return result.socket;
    lastFailure = result.failure;
    // An address that accepted TCP is the host. The next one is tried only after an unreachable address.
    if (result.reached || limit.signal.aborted) break;
  }
  throw lastFailure;
}

type DialResult =
  | { readonly socket: Socket }
  | { readonly socket: null; readonly failure: AttemptFailure; readonly reached: boolean };

function dial(address: string, target: Target, { loopClock, timeout, signal }: DialLimit): Promise<DialResult> {
  return new Promise((resolve) => {
    let reached = false;
    const socket = openConnection(address, target);
    const abandon = () => socket.destroy(new AttemptFailure({ error: "timeout" }));
    const cancel = loopClock.after(timeout, abandon);
    signal.addEventListener("abort", abandon, { once: true });
    const settle = (result: DialResult) => {
      cancel();
      signal.removeEventListener("abort", abandon);
      resolve(result);
    };
    socket.once("connect", () => {
      reached = true;
      cancel();
    });
    socket.once(target.secure ? "secureConnect" : "connect", () => settle({ socket }));
    // Stays for the socket's life: an error without a listener would end the process.
    socket.on("error", (error) => settle({ socket: null, failure: toAttemptFailure(error, reached), reached }));
  });
}

function openConnection(address: string, { name, port, secure }: Target): Socket {
  const tcp = connectTcp({ host: address, port, noDelay: true });
  if (!secure) {
    guardResponses(tcp);
    return tcp;
  }
  const tls = connectTls({
    socket: tcp,
    // The certificate is checked against the host name, not the address. IP literals have no SNI.
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true,
    // A server of TLS 1.2 could otherwise begin handshakes without end, and each costs CPU time.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  });
  tls.once("close", () => tcp.destroy());
  guardResponses(tls, tcp);
  return tls;
}

function toAttemptFailure(error: Error, reached: boolean): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  if ("code" in error && error.code === "ETIMEDOUT") return new AttemptFailure({ error: "timeout" });
  return new AttemptFailure({ error: reached ? "tls" : "connect" });
}
