import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Ledger, ReceivedPost } from "./ledger.ts";
import type { Random } from "./random.ts";

/** How a receiver answers while the stack is killed. */
type Manner = "prompt" | "fails_often" | "refuses_first" | "slow";
export const manners = ["prompt", "fails_often", "refuses_first", "slow"] as const satisfies readonly Manner[];

/** The receivers of the tenant's endpoints, in the test's process. */
export interface Receivers {
  url(manner: Manner): string;
  /** Names the endpoint of a receiver, once it is created. */
  setEndpoint(manner: Manner, endpointId: string): void;
  /** From now on every receiver answers promptly with 200. */
  recover(): void;
  close(): Promise<void>;
}

export async function openReceivers(ledger: Ledger, random: Random): Promise<Receivers> {
  const endpointIds = new Map<string, string>();
  const seen = new Set<string>();
  let recovered = false;

  async function respond(manner: string, post: ReceivedPost, response: ServerResponse): Promise<void> {
    const isFirst = !seen.has(`${manner} ${post.eventId}`);
    seen.add(`${manner} ${post.eventId}`);
    let status = 200;
    if (!recovered) {
      if (manner === "slow" && random.chance(0.1)) await wait(random.between(1_000, 6_000));
      if (manner === "fails_often" && random.chance(0.25)) status = 500;
      if (manner === "refuses_first" && isFirst && random.chance(0.5)) status = 503;
    }
    response.once("finish", () => {
      post.accepted = status === 200;
    });
    response.writeHead(status).end();
  }

  const server = createServer((request, response) => {
    readPost(request, endpointIds)
      .then((post) => {
        ledger.posts.push(post);
        return respond(mannerIn(request), post, response);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (manner) => `http://127.0.0.1:${port}/${manner}`,
    setEndpoint: (manner, endpointId) => void endpointIds.set(manner, endpointId),
    recover() {
      recovered = true;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

const mannerIn = ({ url = "" }: IncomingMessage): string => url.slice(1);

async function readPost(request: IncomingMessage, endpointIds: ReadonlyMap<string, string>): Promise<ReceivedPost> {
  request.on("error", () => {});
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString("utf8");
  const { id, type, data } = JSON.parse(body) as {
    id: string;
    type: string;
    data: { message?: { id?: string | null } };
  };
  return {
    endpointId: endpointIds.get(mannerIn(request)) ?? "",
    eventId: id,
    type,
    messageId: data.message?.id ?? null,
    body,
    receivedAt: Date.now(),
    accepted: false,
  };
}
