import { errorClass } from "#base/kernel/error-class.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { CutOffPorts } from "./ports.ts";
import { encodeRealtime } from "./queue.ts";
import type { Grant } from "./rules/sockets.ts";
import type { Sockets } from "./store/sockets.ts";

/** How long after its request the access of sockets is checked again: the change is committed by then, or never. */
const RECHECK_DELAY: Millis = 20 * SECOND;
/** Requests in flight at once. */
const CONCURRENCY = 10;

/** Access that ends. */
interface EndedAccess {
  readonly tenants: readonly TenantId[];
  /** Whether this access is that of a socket. */
  readonly includes: (grant: Grant) => boolean;
}

/**
 * Ends access by a change, and has its sockets closed. A later check of the sockets is queued before the change, and
 * their closing after it. The check covers a process that dies in between. A socket that connects in between is checked
 * at its first frame. Sockets are named one by one, so that a late message closes none that connected since.
 * @param change commits the change
 * @param hasEnded whether the result says that the access has ended
 */
export async function endAccess<Result>(
  ports: CutOffPorts,
  access: EndedAccess,
  change: () => Promise<Result>,
  hasEnded: (result: Result) => boolean,
): Promise<Result> {
  const isCheckRequested = await requestCheck(ports, access);
  const result = await change();
  if (hasEnded(result)) await requestClose(ports, access, isCheckRequested);
  return result;
}

/**
 * Has the sockets closed whose access ended by an earlier change: a process may have failed between that change and its
 * request. Safe to repeat.
 */
export function closeAgain(ports: CutOffPorts, access: EndedAccess): Promise<void> {
  return requestAll(ports, access, "close");
}

/**
 * Has the sockets of sessions closed whose access has ended, in each of the tenants. Safe to repeat.
 * @returns their number
 */
export async function closeEndedSessions(
  ports: CutOffPorts & { readonly sockets: Pick<Sockets, "isGranted"> },
  { tenants, now }: { readonly tenants: readonly TenantId[]; readonly now: Millis },
): Promise<number> {
  let closed = 0;
  await forEachConcurrent([...tenants], CONCURRENCY, async (tenant) => {
    const presence = await ports.sockets.presence(tenant);
    if (!presence?.count) return;
    const connectionIds: string[] = [];
    for (const { connectionId, grant, expiresAt } of await ports.sockets.listAll(tenant)) {
      if (grant.kind !== "session" || expiresAt <= now) continue;
      if (!(await ports.sockets.isGranted(tenant, grant))) connectionIds.push(connectionId);
    }
    if (connectionIds.length === 0) return;
    await ports.realtime.send({ body: encodeRealtime({ tenant, kind: "close", connectionIds }), group: tenant });
    closed += connectionIds.length;
  });
  return closed;
}

/** A removal of access must not depend on a queue. */
async function requestCheck(ports: CutOffPorts, access: EndedAccess): Promise<boolean> {
  try {
    await requestAll(ports, access, "recheck");
    return true;
  } catch (error) {
    ports.log({ event: "realtime.request_failed", error: errorClass(error) });
    return false;
  }
}

async function requestClose(ports: CutOffPorts, access: EndedAccess, isCheckRequested: boolean): Promise<void> {
  try {
    await requestAll(ports, access, "close");
  } catch (error) {
    if (!isCheckRequested) throw error;
    ports.log({ event: "realtime.request_failed", error: errorClass(error) });
  }
}

async function requestAll(
  { sockets, realtime }: CutOffPorts,
  { tenants, includes }: EndedAccess,
  kind: "recheck" | "close",
): Promise<void> {
  const delay = kind === "recheck" ? { delay: RECHECK_DELAY } : {};
  await forEachConcurrent(tenants, CONCURRENCY, async (tenant) => {
    const presence = await sockets.presence(tenant);
    if (!presence?.count) return;
    const open = (await sockets.listAll(tenant)).filter(({ grant }) => includes(grant));
    const connectionIds = open.map(({ connectionId }) => connectionId);
    if (connectionIds.length === 0) return;
    await realtime.send({ body: encodeRealtime({ tenant, kind, connectionIds }), group: tenant, ...delay });
  });
}
