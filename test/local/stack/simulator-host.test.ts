import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createStackHost } from "../../../local/stack/simulator-host.ts";

/** A server with one answer for each path. Other paths get 404 with an error body. */
async function startApi(answers: Record<string, unknown>) {
  const calls: { path: string; key: string | undefined }[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    calls.push({ path, key: request.headers.authorization });
    if (request.method === "POST") bodies.push(Buffer.concat(await request.toArray()).toString());
    const data = answers[path];
    response.writeHead(data === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(data === undefined ? { error: { message: "Not found." } } : { ok: true, data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, bodies };
}

const list = "/v1/webhooks/E1/deliveries";
const window = "?from=95000&to=320000&limit=40";
const ENDPOINT_HINT = "Run `npx parley listen` (in the repository `npm run admin -- listen`)";
const event = (id: string) => ({ event: { data: { message: { id } } } });

test("a message's report has the stored message and the deliveries of its events only, oldest first", async () => {
  const api = await startApi({
    "/v1/messages/m%3A1": { message: { id: "m:1" } },
    "/v1/webhooks": { endpoints: [{ id: "E1", url: "http://receiver" }] },
    [list + window]: { deliveries: [{ delivery_id: "D3" }, { delivery_id: "D2" }, { delivery_id: "D1" }] },
    [`${list}/D1`]: { delivery: { delivery_id: "D1", ...event("m:1") } },
    [`${list}/D2`]: { delivery: { delivery_id: "D2", ...event("other") } },
    [`${list}/D3`]: { delivery: { delivery_id: "D3", ...event("m:1") } },
  });
  const host = createStackHost();
  host.connect({ baseUrl: api.baseUrl, key: "svc_test_x", liveKey: undefined, advanceClock: async () => {} });
  expect(await host.inspect({ mid: "m:1", from: 100_000, to: 200_000 })).toEqual({
    message: { id: "m:1" },
    deliveries: [
      { endpoint: "http://receiver", endpoint_id: "E1", delivery: { delivery_id: "D1", ...event("m:1") } },
      { endpoint: "http://receiver", endpoint_id: "E1", delivery: { delivery_id: "D3", ...event("m:1") } },
    ],
    problem: null,
    endpoint_hint: ENDPOINT_HINT,
  });
  expect(new Set(api.calls.map(({ key }) => key))).toEqual(new Set(["Bearer svc_test_x"]));
});

test("a message that is not stored yet, and an API that refuses, are reported as such", async () => {
  const stored = await startApi({ "/v1/webhooks": { endpoints: [] } });
  const host = createStackHost();
  host.connect({ baseUrl: stored.baseUrl, key: "k", liveKey: undefined, advanceClock: async () => {} });
  const message = { mid: "m", from: 1, to: 1 };
  expect(await host.inspect(message)).toEqual({
    message: null,
    deliveries: [],
    problem: null,
    endpoint_hint: ENDPOINT_HINT,
  });
  host.connect({ baseUrl: (await startApi({})).baseUrl, key: "k", liveKey: undefined, advanceClock: async () => {} });
  expect(await host.inspect(message)).toEqual({ message: null, deliveries: [], problem: "Not found." });
  host.connect({ baseUrl: stored.baseUrl, key: undefined, liveKey: undefined, advanceClock: async () => {} });
  expect((await host.inspect(message)).problem).toContain("no demo tenant");
});

test("an event is replayed and an endpoint is added with the live key, and a refusal is the API's message", async () => {
  const replay = `${list}/D%2F1/replay?force=true`;
  const api = await startApi({
    [replay]: {},
    "/v1/webhooks": { endpoint: { id: "E9" }, signing_secret: "whs_c2VjcmV0" },
  });
  const host = createStackHost();
  const keys = { key: "svc_test_x", liveKey: "svc_live_x" };
  host.connect({ baseUrl: api.baseUrl, ...keys, advanceClock: async () => {} });
  expect(await host.replay?.({ endpoint_id: "E1", delivery_id: "D/1" })).toBeNull();
  expect(await host.replay?.({ endpoint_id: "E1", delivery_id: "D2" })).toBe("Not found.");
  const url = "http://127.0.0.1:8788/receivers/shop";
  expect(await host.addEndpoint?.(url)).toEqual({ id: "E9", secret: "whs_c2VjcmV0", problem: null });
  expect(api.bodies.at(-1)).toBe(JSON.stringify({ url }));
  expect(new Set(api.calls.map(({ key }) => key))).toEqual(new Set(["Bearer svc_live_x"]));

  host.connect({ baseUrl: (await startApi({})).baseUrl, ...keys, advanceClock: async () => {} });
  expect(await host.addEndpoint?.(url)).toEqual({ id: null, secret: null, problem: "Not found." });
  host.connect({ baseUrl: api.baseUrl, key: undefined, liveKey: undefined, advanceClock: async () => {} });
  expect(await host.replay?.({ endpoint_id: "E1", delivery_id: "D1" })).toContain("no demo tenant");
  expect((await host.addEndpoint?.(url))?.problem).toContain("no demo tenant");
});
