import { expect, test } from "vitest";
import { Parley } from "#client";
import { openedEach, openedOnce } from "../../support/opened.ts";
import { fail, hang, ok, startScriptedServer, text } from "./support/scripted-server.ts";
import { TestClock } from "./support/test-clock.ts";

const server = openedOnce(startScriptedServer);
const parley = openedEach(async () => {
  const clock = new TestClock((delayMs) => delayMs < 10_000);
  return new Parley({ baseUrl: server.url, apiKey: "k", clock, random: () => 0 });
});

const page = (ids: string[], next_cursor: string | null) => ok({ messages: ids.map((id) => ({ id })), next_cursor });
const cursors = () => server.requests.map(({ url }) => new URL(url, server.url).searchParams.get("cursor"));

async function collectIds(messages: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of messages) ids.push(id);
  return ids;
}

test("the client gives the entries of all pages, over empty pages, and stops at a null cursor", async () => {
  server.play(
    page([], "c1"),
    page(["a", "b"], "c2"),
    page([], "c3"),
    page([], "c4"),
    page(["c"], null),
    page(["d"], null),
  );
  expect(await collectIds(parley.messages.list({ direction: "inbound" }))).toEqual(["a", "b", "c"]);
  expect(cursors()).toEqual([null, "c1", "c2", "c3", "c4"]);
  expect(server.requests.every(({ url }) => url.includes("direction=inbound"))).toBe(true);
});

test("the client awaits one page", async () => {
  server.play(page(["a"], "c1"), page(["b"], null));
  expect(await parley.messages.list()).toEqual({ messages: [{ id: "a" }], next_cursor: "c1" });
  expect(server.requests).toHaveLength(1);
});

test("the client starts at a cursor of an earlier page", async () => {
  server.play(page(["c"], "c3"), page(["d"], null));
  expect(await collectIds(parley.messages.list({ cursor: "c2" }))).toEqual(["c", "d"]);
  expect(cursors()).toEqual(["c2", "c3"]);
});

test("the client gives whole pages", async () => {
  server.play(page(["a"], "c1"), page([], "c2"), page(["b"], null));
  const sizes: number[] = [];
  for await (const { messages } of parley.messages.list().pages()) sizes.push(messages.length);
  expect(sizes).toEqual([1, 0, 1]);
});

test("the client requests no page after the loop was left", async () => {
  server.play(page(["a", "b"], "c1"), page(["c"], null));
  for await (const { id } of parley.messages.list()) if (id === "b") break;
  expect(server.requests).toHaveLength(1);
});

test("the client requests a page only when it is needed", async () => {
  server.play(page(["a"], "c1"), page(["b"], null));
  const iterator = parley.messages.list()[Symbol.asyncIterator]();
  expect((await iterator.next()).value).toEqual({ id: "a" });
  expect(server.requests).toHaveLength(1);
  expect((await iterator.next()).value).toEqual({ id: "b" });
  expect(server.requests).toHaveLength(2);
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
});

test("the loop ends when the signal is aborted in the middle of a page", async () => {
  const controller = new AbortController();
  server.play(page(["a"], "c1"), hang);
  const ids: string[] = [];
  const read = async () => {
    for await (const { id } of parley.messages.list({}, { signal: controller.signal })) ids.push(id);
  };
  const reading = read().catch((error) => error);
  await server.arrived(2);
  controller.abort();
  expect(await reading).toMatchObject({ code: "aborted" });
  expect(ids).toEqual(["a"]);
});

test("the client retries a page, and throws what a page throws", async () => {
  server.play(page(["a"], "c1"), text(503, ""), page(["b"], "c2"), fail(400, { code: "invalid_request" }));
  const ids: string[] = [];
  const read = async () => {
    for await (const { id } of parley.messages.list()) ids.push(id);
  };
  await expect(read()).rejects.toMatchObject({ code: "invalid_request" });
  expect(ids).toEqual(["a", "b"]);
  expect(cursors()).toEqual([null, "c1", "c1", "c2"]);
});

test("the client does not follow a cursor that names itself", async () => {
  server.play(page(["a"], "c1"), page(["b"], "c1"));
  await expect(collectIds(parley.messages.list())).rejects.toMatchObject({ code: "unexpected_response" });
  expect(server.requests).toHaveLength(2);
});

test.each([
  ["conversations", (client: Parley) => client.conversations.list()],
  ["audit", (client: Parley) => client.audit.list()],
  ["deliveries", (client: Parley) => client.deliveries.list("endpoint")],
])("the client lists %s", async (field, list) => {
  server.play(ok({ [field]: [{ id: 1 }], next_cursor: "c1" }), ok({ [field]: [{ id: 2 }], next_cursor: null }));
  const entries: unknown[] = [];
  for await (const entry of list(parley)) entries.push(entry);
  expect(entries).toEqual([{ id: 1 }, { id: 2 }]);
});
