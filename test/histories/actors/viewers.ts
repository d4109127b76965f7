import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { createKey } from "../../features/access/flows/support/api-keys.ts";
import { ORIGIN } from "../cloud/ports.ts";
import type { ApiAnswer, Deeds, Session } from "../deeds.ts";
import type { Viewer } from "../sockets.ts";
import type { MemberName } from "../world/members.ts";
import type { World } from "../world/open-world.ts";
import type { Requests } from "./requests.ts";

/** A client repeats a fetch that failed. */
const FETCH_WAITS: readonly Millis[] = [0, SECOND, 5 * SECOND, 30 * SECOND, MINUTE];
const PAGE_SIZE = 100;

interface StreamKey {
  readonly id: string;
  readonly secret: string;
}

interface SignedIn {
  sessionOf(member: MemberName): Promise<Session | null>;
}

/** The programs and pages that show a tenant's conversations over the realtime stream, as its guide describes. */
export function openViewers(world: World, deeds: Deeds, requests: Requests, signedIn: SignedIn) {
  const { engine, gateway, outages, admin, keysOf } = world;
  /** The keys of the programs, apart from those of all other clients: they are revoked. */
  const streamKeys = new Map<TenantId, Promise<StreamKey>>();

  function streamKeyOf(tenant: TenantId): Promise<StreamKey> {
    const known = streamKeys.get(tenant);
    if (known) return known;
    const created = createKey(
      admin,
      tenant,
      { scope: "live", label: "stream", author: { actor: "cli" } },
      engine.now(),
    );

    streamKeys.set(tenant, created);
    return created;
  }

  /** @returns null without an answer */
  async function ask(method: string, path: string, viewer: Viewer): Promise<ApiAnswer | null> {
    const { credential, tenant } = viewer;
    if (typeof credential === "object") {
      const isTicket = path === "/v1/realtime/ticket";
      const query = `${path.includes("?") ? "&" : "?"}tenant=${tenant}`;
      return isTicket
        ? requests.request("console", method, `/console/session/ws-ticket?tenant=${tenant}`, { credential })
        : requests.request("api", method, `${path}${query}`, { credential });
    }
    const result = await requests.fetchResult("api", method, path, { credential });
    return result && { status: result.statusCode ?? 0, body: JSON.parse(result.body ?? "{}") };
  }

  /** What a client does at each `hello`. */
  async function fetchInbox(viewer: Viewer): Promise<void> {
    for (const wait of FETCH_WAITS) {
      if (wait > 0) await engine.until(engine.now() + wait);
      if (viewer.endedAt !== null) return;
      const askedAt = engine.now();
      const conversations = await ask("GET", `/v1/conversations?limit=${PAGE_SIZE}`, viewer);
      const messages = await ask("GET", `/v1/messages?limit=${PAGE_SIZE}`, viewer);
      if (conversations?.status !== 200 || messages?.status !== 200) continue;
      viewer.fetches.push({
        askedAt,
        conversations: conversations.body.data.conversations,
        messageIds: messages.body.data.messages.map(({ id }: { id: string }) => id),
      });
      return;
    }
  }

  return {
    /** Somebody connects: a program with a key, or a member in the console. */
    async watch(tenant: TenantId, by: MemberName | null): Promise<void> {
      // Without the table no one gets a key or a ticket.
      if (outages.isOut("table")) return;
      const key = by
        ? null
        : await streamKeyOf(tenant).catch((error: unknown) => {
            // An outage may begin at the same time.
            streamKeys.delete(tenant);
            if (!outages.isOut("table")) throw error;
          });
      const credential = by ? await signedIn.sessionOf(by) : key?.secret;
      if (!credential) return;
      const viewer: Viewer = { tenant, credential, connectionId: null, endedAt: null, frames: [], fetches: [] };
      const response = await ask("POST", "/v1/realtime/ticket", viewer);
      const ticket: string | undefined = response?.body.data?.ticket;
      if (!ticket) return;
      deeds.viewers.push(viewer);
      const client = {
        receive: (text: string) => {
          viewer.frames.push({ at: engine.now(), body: JSON.parse(text), text });
          if (viewer.frames.at(-1)?.body.type === "hello") void fetchInbox(viewer);
        },
        end: () => {
          viewer.endedAt = engine.now();
        },
      };
      viewer.connectionId = await gateway.connect(ticket, by ? ORIGIN : null, client);
    },

    /** A viewer ends its connection, or its network does without a word to the gateway's routes. */
    leave(number: number, isReported: boolean): void {
      const open = deeds.viewers.filter(({ connectionId, endedAt }) => connectionId !== null && endedAt === null);
      const { connectionId } = open[number % Math.max(1, open.length)] ?? {};
      if (connectionId) gateway.disconnect(connectionId, isReported);
    },

    /** A tenant revokes the key of its programs. The next one that connects gets another key. */
    async revokeKey(tenant: TenantId): Promise<void> {
      const key = await streamKeys.get(tenant);
      if (!key) return;
      const options = { credential: keysOf(tenant).live };
      const response = await requests.request("api", "DELETE", `/v1/keys/${key.id}`, options);
      if (response?.status === 200) streamKeys.delete(tenant);
    },
  };
}
