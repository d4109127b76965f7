import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, expect, it } from "vitest";
import {
  connectableAddresses,
  exposedAddresses,
  isLoopback,
  listeningSockets,
} from "#local-aws/access/listening-sockets.ts";

const isOnLinux = process.platform === "linux";
const hasIPv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ family }) => family === "IPv6"));
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listenOn(host: string): Promise<number> {
  const server = createServer((socket) => socket.destroy()).listen(0, host);
  servers.push(server);
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

it.runIf(isOnLinux).each([
  ["127.0.0.1", "127.0.0.1", true],
  ["127.9.8.7", "127.9.8.7", true],
  ["0.0.0.0", "0.0.0.0", false],
  ...(hasIPv6
    ? ([
        ["::1", "::1", true],
        ["::", "::", false],
      ] as const)
    : []),
] as const)("a process that listens on %s is found at %s", async (host, address, isInside) => {
  const port = await listenOn(host);
  expect(listeningSockets(process.pid)).toContainEqual({ address, port });
  expect(isLoopback(address)).toBe(isInside);
  const exposed = (await exposedAddresses(process.pid, port)).filter((each) => each.endsWith(`:${port}`));
  expect(exposed).toHaveLength(isInside ? 0 : 1);
});

it.runIf(isOnLinux)("a server that ended is found no more, and a process that ended has no list", async () => {
  const port = await listenOn("127.0.0.1");
  const [server] = servers.splice(0);
  server?.close();
  await once(server as Server, "close");
  expect((listeningSockets(process.pid) ?? []).map((socket) => socket.port)).not.toContain(port);
  expect(listeningSockets(2 ** 22 + 1)).toBeNull();
});

it("without a list of sockets, the addresses of the machine that accept a connection are found", async () => {
  const outside = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const addresses = outside
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map((each) => each.address);
  expect(await connectableAddresses(await listenOn("0.0.0.0"))).toEqual(expect.arrayContaining(addresses));
  expect(await connectableAddresses(await listenOn("127.0.0.1"))).toEqual([]);
});
