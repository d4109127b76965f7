import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openSeedPorts } from "../../../local/stack/seed-ports.ts";
import { openSocket, type TestSocket } from "../../support/sockets/test-socket.ts";
import { type LocalStack, startLocalStack } from "./local-stack.ts";
import { type Entry, newMessageId, newPersonId, postWebhook, textEntry } from "./platform-webhooks.ts";
import { waitFor } from "./wait-for.ts";

/** The settings of a run, by the environment. The defaults fit two processors: an event costs two requests for each socket. */
export const crowdSize = {
  tenants: Number(process.env.SOCKET_TENANTS ?? 20),
  sockets: Number(process.env.SOCKETS ?? 1_000),
  eventsPerSecond: Number(process.env.SOCKET_EVENTS_PER_SECOND ?? 5),
  seconds: Number(process.env.SOCKET_SECONDS ?? 60),
};

const HANDSHAKES_AT_ONCE = 10;
const DUPLICATES = "0.1";
const ATTEMPTS_MAX = 10;

interface Tenant {
  readonly slug: string;
  readonly key: string;
  readonly page: string;
  readonly person: string;
  readonly sockets: CrowdSocket[];
  /** By message id: when its webhook was posted. */
  readonly postedAt: Map<string, number>;
}

interface CrowdSocket {
  readonly socket: TestSocket;
  /** By message id: the event's id, and when it first came. */
  readonly received: Map<string, { readonly eventId: string; readonly at: number }>;
  /** What no socket of the tenant may get. */
  readonly foreign: string[];
  frames: number;
}

/** Real sockets of many tenants on a running stack, whose queues deliver some messages twice and in any order. */
export class SocketCrowd {
  readonly stack: LocalStack;
  readonly tenants: readonly Tenant[];
  /** How many webhooks were posted again because they were not answered with 200. */
  refusedPosts = 0;

  private constructor(stack: LocalStack, tenants: readonly Tenant[]) {
    this.stack = stack;
    this.tenants = tenants;
  }

  /** Starts a stack with tenants that have a page and a person each. */
  static async open(): Promise<SocketCrowd> {
    const stack = await startLocalStack({ env: { PARLEY_SQS_CHAOS: DUPLICATES } });
    const environment = JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8"));
    const ports = openSeedPorts({ environment, now: () => Date.now() });
    const tenants: Tenant[] = [];
    for (let i = 0; i < crowdSize.tenants; i++) {
      const slug = `tenant-${i}`;
      const page = `2000000000${String(i).padStart(5, "0")}`;
      await ports.createTenant(slug);
      const { secret: key } = await ports.createKey(slug, "live");
      await ports.connectAccount(slug, { ...account, handle: `page${i}`, externalId: page, pageId: page });
      tenants.push({ slug, key, page, person: newPersonId(), sockets: [], postedAt: new Map() });
    }
    return new SocketCrowd(stack, tenants);
  }

  async close(): Promise<void> {
    for (const { socket } of this.sockets()) socket.terminate();
    await this.stack.stop();
  }

  sockets(): CrowdSocket[] {
    return this.tenants.flatMap(({ sockets }) => sockets);
  }

  frames(): number {
    return this.sockets().reduce((sum, { frames }) => sum + frames, 0);
  }

  /** Opens all sockets, and waits until each is welcomed. */
  async openSockets(): Promise<void> {
    const waiting = Array.from({ length: crowdSize.sockets }, (_, i) => this.tenants[i % this.tenants.length]);
    const openNext = async (): Promise<void> => {
      for (let tenant = waiting.pop(); tenant; tenant = waiting.pop()) await this.#openSocket(tenant);
    };
    await Promise.all(Array.from({ length: HANDSHAKES_AT_ONCE }, openNext));
    await waitFor("every socket got hello", () => this.sockets().every(({ frames }) => frames > 0), { seconds: 120 });
  }

  /** Posts webhooks at the rate of the run, in turn for each tenant. */
  async postEvents(seconds: number): Promise<void> {
    const startedAt = performance.now();
    const posts: Promise<void>[] = [];
    for (let i = 0; i < crowdSize.eventsPerSecond * seconds; i++) {
      await wait(Math.max(0, startedAt + (i * 1_000) / crowdSize.eventsPerSecond - performance.now()));
      const tenant = this.tenants[i % this.tenants.length];
      if (!tenant) throw new Error("There is no tenant.");
      const mid = newMessageId();
      const entry = textEntry(tenant.page, tenant.person, mid, `event ${i}`, Date.now());
      tenant.postedAt.set(mid, performance.now());
      posts.push(this.#postUntilAccepted(entry));
    }
    await Promise.all(posts);
  }

  /** Waits until every socket got every event of its tenant. */
  async receiveAll(): Promise<void> {
    const isComplete = ({ postedAt, sockets }: Tenant) =>
      sockets.every(({ received }) => received.size === postedAt.size);
    await waitFor("every socket got every event of its tenant", () => this.tenants.every(isComplete), { seconds: 600 });
  }

  async #openSocket(tenant: Tenant): Promise<void> {
    const { status, text, body } = await this.stack.api("POST", "/v1/realtime/ticket", undefined, tenant.key);
    if (status !== 200) throw new Error(`POST /v1/realtime/ticket: ${status} ${text}`);
    const { ticket, url } = body.data as unknown as { ticket: string; url: string };
    const socket = await openSocket(`${url}?ticket=${ticket}`);
    const received: CrowdSocket["received"] = new Map();
    const open: CrowdSocket = { socket, received, foreign: [], frames: 0 };
    socket.onMessage((frameText) => {
      const at = performance.now();
      open.frames += 1;
      const frame = JSON.parse(frameText);
      if (frame.type !== "hello" && frame.tenant_id !== tenant.slug) open.foreign.push(frameText);
      if (frame.type !== "message.received") return;
      const { id } = frame.data.message;
      if (!tenant.postedAt.has(id)) open.foreign.push(frameText);
      const earlier = received.get(id);
      if (!earlier) received.set(id, { eventId: frame.id, at });
      else if (earlier.eventId !== frame.id) open.foreign.push(frameText);
    });
    tenant.sockets.push(open);
  }

  /** A platform repeats a webhook that was not answered with 200, as on a machine without time for the function. */
  async #postUntilAccepted(entry: Entry): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      if ((await postWebhook(this.stack, "page", [entry])).status === 200) return;
      this.refusedPosts += 1;
    }
    throw new Error("A webhook was not accepted.");
  }
}

const account = {
  connection: "messenger",
  displayName: "Page",
  token: "token",
  appScopedId: "1",
  authorizedBy: [],
} as const;
