import { concurrencyLimit } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { SocketList } from "../../store/sockets.ts";
import type { PushPorts } from "./ports.ts";

/** Requests to the gateway in flight at once, over all records of a batch. */
const POSTS_MAX = 50;

/** One batch of queue messages, and what it reads once. The next one reads again. */
export interface PushBatch {
  readonly now: () => Millis;
  /** Runs a request to the gateway when it is its turn. */
  readonly post: ReturnType<typeof concurrencyLimit>;
  readonly socketLists: Map<TenantId, Promise<SocketList>>;
  /** The first frames that the batch sends, by connection: whether the connection stands. */
  readonly greetings: Map<string, Promise<boolean>>;
}

export function newPushBatch(now: () => Millis): PushBatch {
  return { now, post: concurrencyLimit(POSTS_MAX), socketLists: new Map(), greetings: new Map() };
}

/** The push of one message of a batch. */
export interface PushRun extends PushBatch {
  /** The only sockets that get its frames. Undefined: all of the tenant. */
  readonly connectionIds?: readonly string[] | undefined;
  /** The connections that got no frames because their first frame is not sent yet. */
  readonly awaited: Set<string>;
}

/** The sockets that a message is for. */
export async function listTargets(
  ports: Pick<PushPorts, "sockets">,
  tenant: TenantId,
  run: PushRun,
): Promise<SocketList> {
  const list = await listSockets(ports, tenant, run);
  const { connectionIds } = run;
  if (connectionIds === undefined) return list;
  return { ...list, sockets: list.sockets.filter(({ connectionId }) => connectionIds.includes(connectionId)) };
}

/**
 * The sockets of a tenant, read once per batch. If there is none although the message says otherwise, the number of the
 * tenant's sockets is corrected, so that no further messages come.
 */
export function listSockets(
  { sockets }: Pick<PushPorts, "sockets">,
  tenant: TenantId,
  { socketLists, now }: PushBatch,
): Promise<SocketList> {
  const earlier = socketLists.get(tenant);
  if (earlier) return earlier;
  const reading = sockets.list(tenant, now()).then(async (list) => {
    if (list.sockets.length === 0) await sockets.repair(tenant, now());
    return list;
  });
  reading.catch(() => {});
  socketLists.set(tenant, reading);
  return reading;
}
