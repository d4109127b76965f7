import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";

// The receiver runs in its own thread, so that its CPU does not count as the client's.
const server = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(200).end("{}"));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
