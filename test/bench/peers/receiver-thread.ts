import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";

// Answers at once, and reports the path and the marked id of each request: `bench-<run>-<number>`.

const ID = /bench-[a-z0-9]+-\d+/;
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const id = ID.exec(Buffer.concat(chunks).toString())?.[0];
  const { url = "/" } = request;
  if (id) parentPort?.postMessage({ path: url, id, at: Date.now() });
  response.end("ok");
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
