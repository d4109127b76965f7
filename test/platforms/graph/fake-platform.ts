import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Send } from "#platforms/graph/platform.ts";

export const TOKEN = "EAAB0token-of-a-page-0123456789";

/** A text to a person, without a time by which it must leave. */
export const textSend = {
  recipientId: "6543210987654321",
  content: { kind: "text", text: "hi" },
  humanAgent: false,
  replyTo: null,
  metadata: "snd_1",
  leavesBy: Number.POSITIVE_INFINITY,
  endsBy: Number.POSITIVE_INFINITY,
} as const satisfies Send;

interface PlatformCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed: of JSON its value, of a form its fields. */
  readonly body: unknown;
}

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** The settings of a connector that calls a fake platform: the paths of the two hosts differ. */
export const upstreamAt = (origin: string) => ({
  facebookGraph: `${origin}/facebook`,
  instagramGraph: `${origin}/instagram`,
  graphVersion: "v26.0",
});

/** A platform on loopback that records each call and responds as configured. */
export async function startFakePlatform() {
  const calls: PlatformCall[] = [];
  let respond: Respond = (_request, response) => response.end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const text = Buffer.concat(chunks).toString();
      const isForm = headers["content-type"] === "application/x-www-form-urlencoded";
      const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text || "null");
      calls.push({ method, url, headers, body });
      respond(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    calls,
    respondWith(next: Respond) {
      calls.length = 0;
      respond = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function jsonResponse(status: number, body: unknown, headers: Record<string, string> = {}): Respond {
  return (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}
