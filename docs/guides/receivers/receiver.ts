// A complete receiver, for Node 22.18 or later: SIGNING_SECRET=whs_… PORT=9000 node receiver.ts
import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { verify } from "./verify.ts";

const { SIGNING_SECRET: secret, PORT: port = "9000" } = process.env;
if (!secret) throw new Error("Set SIGNING_SECRET to the endpoint's signing secret.");

/** Ids of processed events. A receiver with several processes stores them in its database for a week. */
const handledEventIds = new Set<string>();

async function receive(request: IncomingMessage, signingSecret: string): Promise<number> {
  const rawBody = await buffer(request);
  if (!verify(rawBody, request.headers, signingSecret)) return 401;
  const event = JSON.parse(rawBody.toString());
  if (handledEventIds.has(event.id)) return 204;
  // Accept unknown types. Otherwise Parley retries them for days.
  if (event.type === "message.received") console.log(`${event.id}: a message in ${event.data.message.conversation_id}`);
  handledEventIds.add(event.id);
  return 204;
}

createServer((request, response) => {
  receive(request, secret).then(
    (status) => response.writeHead(status).end(),
    () => response.writeHead(500).end(),
  );
}).listen(Number(port), "127.0.0.1");
