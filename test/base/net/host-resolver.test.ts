import { createSocket } from "node:dgram";
import { expect, onTestFinished, test } from "vitest";
import { createHostResolver } from "#base/net/host-resolver.ts";

const TYPE_A = 1;
const TYPE_AAAA = 28;
const [NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME] = [0, 2, 3];

/** A name server's response to one type of question: a code and addresses as bytes, or no response. */
type Reply = { code: number; addresses: number[][] } | "silence";

/** Starts a name server on loopback that counts its questions. */
async function startNameServer(reply: (type: number) => Reply) {
  const socket = createSocket("udp4");
  let questions = 0;
  let first: () => void = () => {};
  const firstQuery = new Promise<void>((resolve) => {
    first = resolve;
  });
  socket.on("message", (query, from) => {
    questions += 1;
    first();
    const end = query.indexOf(0, 12) + 1;
    const type = query.readUInt16BE(end);
    const answer = reply(type);
    if (answer === "silence") return;
    const head = Buffer.alloc(12);
    head.writeUInt16BE(query.readUInt16BE(0), 0);
    head.writeUInt16BE(0x8180 | answer.code, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(answer.addresses.length, 6);
    const records = answer.addresses.map((bytes) =>
      // The question's name by pointer, its type, class IN, 60 s, and the address.
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([head, query.subarray(12, end + 4), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  onTestFinished(() => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, firstQuery, questions: () => questions };
}

const V4 = [93, 184, 215, 14];
const V6 = [0x26, 0x06, 0x47, 0, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11];
const foundReply = (...addresses: number[][]): Reply => ({ code: NO_ERROR, addresses });
const failedReply = (code: number): Reply => ({ code, addresses: [] });
const noSignal = new AbortController().signal;

test.each([
  ["both families", foundReply(V4), foundReply(V6), ["93.184.215.14", "2606:4700:4700::1111"]],
  ["IPv4 alone", foundReply(V4), foundReply(), ["93.184.215.14"]],
  ["IPv6 alone", foundReply(), foundReply(V6), ["2606:4700:4700::1111"]],
  ["IPv4 when the other question fails", foundReply(V4), failedReply(SERVER_FAILURE), ["93.184.215.14"]],
  [
    "private addresses too, for the gate to check",
    foundReply(V4, [10, 0, 0, 1]),
    foundReply(),
    ["93.184.215.14", "10.0.0.1"],
  ],
])("the resolver resolves to %s", async (_name, v4, v6, addresses) => {
  const server = await startNameServer((type) => (type === TYPE_A ? v4 : v6));
  expect(await createHostResolver([server.address])("hooks.example.com", noSignal)).toEqual(addresses);
});

test.each([
  ["no such name", failedReply(NO_SUCH_NAME)],
  ["no record of either family", foundReply()],
  ["a server failure", failedReply(SERVER_FAILURE)],
])("the resolver rejects on %s", async (_name, reply) => {
  const server = await startNameServer((type) => (type === TYPE_A || type === TYPE_AAAA ? reply : "silence"));
  await expect(createHostResolver([server.address])("hooks.example.com", noSignal)).rejects.toThrow(
    "hooks.example.com",
  );
});

test("a lookup at a silent name server ends as soon as its signal aborts", async () => {
  const server = await startNameServer(() => "silence");
  const stop = new AbortController();
  const lookup = createHostResolver([server.address])("hooks.example.com", stop.signal);
  await server.firstQuery;
  const startedAt = performance.now();
  stop.abort();
  await expect(lookup).rejects.toThrow("ECANCELLED");
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

test("nothing is cached: each lookup asks the name server again", async () => {
  const server = await startNameServer((type) => (type === TYPE_A ? foundReply(V4) : foundReply()));
  const resolve = createHostResolver([server.address]);
  await resolve("hooks.example.com", noSignal);
  const once = server.questions();
  await resolve("hooks.example.com", noSignal);
  expect(server.questions()).toBe(2 * once);
});
