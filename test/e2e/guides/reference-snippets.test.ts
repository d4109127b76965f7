import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { openSocket } from "../../support/sockets/test-socket.ts";
import { project, snippetsOf } from "../../web/docs/support/rendered-snippets.ts";
import { personWrites } from "../support/api-calls.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";
import { openReceiver } from "../support/webhook-receiver.ts";

// Requests of the reference, as a running stack shows them, with values of that stack in place of the recorded ones.

const RECORDED_URL = "https://hooks.example.com/parley";
const examples = JSON.parse(readFileSync(new URL("../../../docs/examples.json", import.meta.url), "utf8"));
/** The id of the endpoint of the recorded requests. */
const RECORDED_ENDPOINT: string = examples.updateWebhook.exchanges[0].request.path.split("/").at(-1);
const run = promisify(execFile);

let folder: string;
const stack = openedOnce(openSharedStack);
const receiver = openedOnce(openReceiver);
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-snippets-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

/** The requests of an operation, from the page of its tag: with curl, and with the client. */
async function requestsOf(page: string, id: string): Promise<{ readonly curl: string; readonly client: string }> {
  const markup = await (await fetch(`${stack.info.base_url}/docs/reference/${page}`)).text();
  const codes = snippetsOf(markup).flatMap(({ operation, code }) => (operation === id ? [code] : []));
  const only = (isOne: (code: string) => boolean) => {
    const matching = codes.filter(isOne);
    expect(matching, id).toHaveLength(1);
    return matching[0] ?? "";
  };
  return {
    curl: only((code) => code.startsWith("curl ")),
    client: only((code) => code.includes('from "@parley/client"')),
  };
}

/** What a program of the shell and one of the client need, and nothing of the machine. */
const environment = () => ({ PATH: process.env.PATH, KEY: stack.info.live_key });

// biome-ignore lint/suspicious/noExplicitAny: the data of any operation
type Data = any;

async function runCurl(code: string): Promise<Data> {
  const { stdout } = await run("bash", ["--norc", "-euc", code], { env: environment() });
  const envelope = JSON.parse(stdout);
  expect(envelope).toMatchObject({ ok: true });
  return envelope.data;
}

async function runClient(code: string): Promise<Data> {
  const outfile = join(folder, "main.mjs");
  buildSync({
    stdin: { contents: `${code}\nconsole.log(JSON.stringify(data));`, loader: "ts", resolveDir: folder },
    alias: { "@parley/client": join(project, "packages/client/src/index.ts") },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
  });
  return JSON.parse((await run(process.execPath, [outfile], { env: environment() })).stdout);
}

/** The request with other values. Each of them must be in it. */
function withValues(code: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((text, [recorded, value]) => {
    expect(text).toContain(recorded);
    return text.replaceAll(recorded, value);
  }, code);
}

describe.each([
  ["curl", runCurl],
  ["client", runClient],
] as const)("the requests of the reference with %s", (kind, send) => {
  const request = async (page: string, id: string) => (await requestsOf(page, id))[kind];

  it("the requests of the reference read the service, the conversations and the event types", async () => {
    const id = await personWrites(stack, "messenger", "Ann", "Is the bowl there?");
    expect(await send(await request("service", "ping"))).toMatchObject({ name: "parley" });
    const { conversations } = await send(await request("conversations", "listConversations"));
    expect(conversations).toEqual([expect.objectContaining({ id, last_message_text: "Is the bowl there?" })]);
    const { event_types } = await send(await request("webhooks", "listEventTypes"));
    expect(event_types.length).toBeGreaterThan(10);
  });

  it("the requests of the reference create a ticket, with which the stream opens", async () => {
    const { url, ticket } = await send(await request("realtime", "createRealtimeTicket"));
    const socket = await openSocket(`${url}?ticket=${ticket}`);
    socket.terminate();
  });

  it("the requests of the reference create an endpoint, change it, and send it a test event", async () => {
    const earlier = receiver.deliveries.length;
    const { endpoint } = await send(
      withValues(await request("webhooks", "createWebhook"), { [RECORDED_URL]: receiver.url }),
    );
    expect(endpoint).toMatchObject({ url: receiver.url, events: ["message.received", "message.sent"] });
    const ofEndpoint = async (id: string) =>
      withValues(await request("webhooks", id), { [RECORDED_ENDPOINT]: endpoint.id });
    const changed = await send(await ofEndpoint("updateWebhook"));
    expect(changed.endpoint.events).toContain("test.event");
    await send(await ofEndpoint("sendTestEvent"));
    await waitFor("the test event arrived", () =>
      receiver.deliveries.slice(earlier).some(({ event }) => event.type === "test.event"),
    );
    expect(await send(await ofEndpoint("deleteWebhook"))).toBeDefined();
  });

  it("the requests of the reference answer a person", async () => {
    const id = await personWrites(stack, "messenger", "Ann", "Are there two?");
    const recorded = "CONV#demo#messenger#100000000000001#90000000000000002";
    const { platform_message_id } = await send(withValues(await request("messages", "sendReply"), { [recorded]: id }));
    const { message } = (await stack.api("GET", `/v1/messages/${encodeURIComponent(platform_message_id)}`)).body.data;
    expect(message).toMatchObject({
      direction: "outbound",
      text: "Yes, two are left. Shall we put one aside for you?",
    });
  });
});
