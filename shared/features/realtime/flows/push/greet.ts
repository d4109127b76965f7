import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome, retry } from "#base/queues/record-outcome.ts";
import { helloFrame, pongFrame } from "../../events.ts";
import type { Socket } from "../../rules/sockets.ts";
import type { StoredSocket } from "../../store/items.ts";
import { verifySocket } from "../close.ts";
import { HANDSHAKE_MAX, HELLO_OVERDUE_AFTER, requestHello, VISIBLE_AFTER } from "../hello.ts";
import type { PushBatch } from "./batch.ts";
import type { PushPorts } from "./ports.ts";

/** How long the accounts of a tenant are marked, so that marks are rarely written. */
const MARK_LIFETIME: Millis = 4 * HOUR;
/** The clocks of processes may differ by this much. */
const CLOCK_MARGIN: Millis = 5 * MINUTE;
const RETRY_DELAY_MIN: Millis = SECOND;
const CONCURRENCY = 10;

type Greeting = "sent" | "marked" | "gone" | NotStanding;

/** The gateway does not know the connection yet, or no more. */
interface NotStanding {
  readonly tryAfter: Millis;
}

/** A connection of a tenant. */
interface ConnectionOf {
  readonly tenant: TenantId;
  readonly connectionId: string;
}

/** A socket of a tenant. */
interface SocketOf<S> {
  readonly tenant: TenantId;
  readonly socket: S;
}

/** Processes the request for the first frame of a connection. */
export async function processHello(
  ports: PushPorts,
  { tenant, connectionId }: ConnectionOf,
  now: Millis,
): Promise<RecordOutcome> {
  const greeting = await greet(ports, { tenant, connectionId }, now);
  switch (greeting) {
    case "sent":
      return done;
    case "marked":
      await requestHello(ports, tenant, connectionId);
      return done;
    case "gone":
      return drop("gone");
    default:
      return retry("handshake", greeting.tryAfter);
  }
}

/**
 * Whether a socket got its first frame. A batch that finds one whose first frame is overdue sends it itself, before any
 * other. False for a socket whose first frame is not due, and for one that does not stand.
 */
export function isGreeted(
  ports: PushPorts,
  { tenant, socket }: SocketOf<StoredSocket>,
  { greetings, now }: PushBatch,
): Promise<boolean> {
  const { connectionId, connectedAt, greetedAt } = socket;
  if (greetedAt !== null) return Promise.resolve(true);
  if (now() < connectedAt + VISIBLE_AFTER) return Promise.resolve(false);
  const earlier = greetings.get(connectionId);
  if (earlier) return earlier;
  const isOverdue = now() >= connectedAt + HELLO_OVERDUE_AFTER;
  const greeting = isOverdue
    ? greetOverdue(ports, { tenant, connectionId }, now())
    : wasGreeted(ports, tenant, connectionId);
  greeting.catch(() => {});
  greetings.set(connectionId, greeting);
  return greeting;
}

/** The list of sockets may be behind. */
async function wasGreeted({ sockets }: PushPorts, tenant: TenantId, connectionId: string): Promise<boolean> {
  const socket = await sockets.get(tenant, connectionId);
  return socket !== null && socket.endedAt === null && socket.greetedAt !== null;
}

async function greetOverdue(ports: PushPorts, socket: ConnectionOf, now: Millis): Promise<boolean> {
  const result = await greet(ports, socket, now);
  if (result === "marked") await requestHello(ports, socket.tenant, socket.connectionId);
  return result === "sent";
}

/**
 * Marks the accounts of a tenant and sends the first frame of a connection. Safe to repeat.
 * @returns `sent`: also before; `marked`: marks were written, so the frame must wait until every reader sees them
 */
async function greet(ports: PushPorts, { tenant, connectionId }: ConnectionOf, now: Millis): Promise<Greeting> {
  const socket = await verifySocket(ports, { tenant, connectionId, now });
  if (!socket) return "gone";
  if (socket.greetedAt !== null) return "sent";
  if (await markAccounts(ports, { tenant, socket }, now)) return "marked";
  const { connectedAt, expiresAt } = socket;
  if ((await ports.connections.post(connectionId, helloFrame({ connectionId, now, expiresAt }))) === "gone") {
    if (now < connectedAt + HANDSHAKE_MAX) return { tryAfter: retryDelay(now - connectedAt) };
    await ports.sockets.remove(tenant, [connectionId]);
    return "gone";
  }
  // One write ends the time in which pings wait and says whether one does, so each ping has its answer after the first frame.
  if (await ports.socketFrames.markGreeted(connectionId, now)) await ports.connections.post(connectionId, pongFrame());
  await ports.sockets.markGreeted(tenant, connectionId, now);
  return "sent";
}

/**
 * How long after a try the next one is made. It grows with the age of the connection: a client that left before its first
 * frame is known to be gone after nine receives at most, and its message becomes no dead letter.
 */
function retryDelay(age: Millis): Millis {
  return Math.max(RETRY_DELAY_MIN, age / 2);
}

/** Marks the accounts whose marks end before the socket does. @returns whether there were any */
async function markAccounts(
  { accounts }: Pick<PushPorts, "accounts">,
  { tenant, socket }: SocketOf<Socket>,
  now: Millis,
): Promise<boolean> {
  const unmarked = (await accounts.list(tenant)).filter(
    ({ socketsUntil }) => socketsUntil === null || socketsUntil < socket.expiresAt + CLOCK_MARGIN,
  );
  await forEachConcurrent(unmarked, CONCURRENCY, (account) => accounts.markSockets(tenant, account, marksUntil(now)));
  return unmarked.length > 0;
}

/** Until when accounts are marked. */
export function marksUntil(now: Millis): Millis {
  return now + MARK_LIFETIME;
}
