import { statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { verifyWebhook } from "#client";
import { startScriptedServer } from "../client/support/scripted-server.ts";
import { eventFrame, helloFrame, type StreamServer, startStreamServer } from "../client/support/stream-server.ts";
import { serve } from "../receiver/support/delivery.ts";
import { type CliProcess, openConfigFolder, runCli, startCli } from "./support/run-cli.ts";

// The command against a deployment: what a test's servers answer stands for one.

const KEY = "svc_test_k";
const DOCS_URL = "https://parley.example/docs/errors#unauthorized";
const programs = new Set<CliProcess>();
afterEach(async () => {
  for (const program of programs) await program.stop();
  programs.clear();
});

function start(args: readonly string[], env: Record<string, string>): CliProcess {
  const program = startCli(args, { PARLEY_KEY: KEY, ...env });
  programs.add(program);
  return program;
}

/** Sends the first frame once the program is connected. */
async function connect(stream: StreamServer, count = 1): Promise<void> {
  await expect.poll(() => stream.sockets.length, { timeout: 30_000 }).toBe(count);
  stream.sockets.at(-1)?.send(helloFrame());
}

const message = { message: { conversation_id: "CONV#demo#messenger#1#2", text: "a text that is never printed" } };

test("listen forwards each event of the stream, signed with a secret that a restart does not change", async () => {
  using config = openConfigFolder();
  await using stream = await startStreamServer();
  const requests: { headers: Record<string, string>; body: Buffer }[] = [];
  await using receiver = await serve(async (request, response) => {
    requests.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(await request.toArray()) });
    response.writeHead(requests.length === 1 ? 204 : 500).end();
  });
  const env = { PARLEY_URL: stream.url, XDG_CONFIG_HOME: config.path };
  const first = start(["listen", "--forward-to", `${receiver.url}/hooks?token=t`, "--events", "message.received"], env);
  await connect(stream);
  await expect.poll(first.output).toContain("Press Ctrl-C to stop.");
  const [, secret = ""] = /^(whs_\S+)$/m.exec(first.output()) ?? [];
  expect(first.output()).toContain(`The realtime stream forwards to ${receiver.url}/hooks. Use this secret`);
  for (const [id, type] of [
    ["evt_1"],
    ["evt_2", "message.sent"],
    ["evt_3", "conversation.updated"],
    ["evt_4"],
  ] as const) {
    stream.sockets[0]?.send(eventFrame(id, type, message));
  }
  await expect.poll(first.output).toMatch(/^\S+Z message\.received evt_4 500 \d+ ms$/m);
  expect(first.output()).toMatch(/^\S+Z message\.received evt_1 204 \d+ ms$/m);
  expect(first.output()).not.toContain("evt_2");
  expect(first.output()).not.toContain("never printed");
  expect(requests).toHaveLength(2);
  for (const { headers, body } of requests) {
    expect(await verifyWebhook({ headers, body }, secret)).toMatchObject({ type: "message.received", data: message });
    const standard = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("svc-")));
    expect(await verifyWebhook({ headers: standard, body }, secret)).toMatchObject({ type: "message.received" });
  }
  expect(await first.stop()).toBe(0);

  const second = start(["listen", "--json"], env);
  await connect(stream, 2);
  await expect.poll(second.output).toContain("signing_secret");
  expect(JSON.parse(second.output())).toEqual({ endpoint: null, signing_secret: secret, forward_to: null });
  expect(statSync(join(config.path, "parley/listen-secret")).mode & 0o777).toBe(0o600);
});

test("events prints a line per event, only of the conversation that was named, without texts", async () => {
  await using stream = await startStreamServer();
  const conversation = message.message.conversation_id;
  const program = start(["events", "--conversation", conversation], { PARLEY_URL: stream.url });
  await connect(stream);
  await expect.poll(program.output).toContain("Waiting for events.");
  stream.sockets[0]?.send(eventFrame("evt_1", "message.received", { message: { conversation_id: "CONV#other" } }));
  stream.sockets[0]?.send(eventFrame("evt_2", "message.received", message));
  await expect.poll(program.output).toContain("evt_2");
  expect(program.output()).toContain(` message.received evt_2 ${conversation}\n`);
  expect(program.output()).not.toMatch(/evt_1|never printed/);
});

test("events shows conversation.updated to those who name it, and the referral of the conversation that was named", async () => {
  await using stream = await startStreamServer();
  const id = message.message.conversation_id;
  const env = { PARLEY_URL: stream.url };
  const program = start(["events", "--conversation", id, "--events", "conversation.updated, referral.received"], env);
  await connect(stream);
  await expect.poll(program.output).toContain("Waiting for events.");
  const frames = [
    eventFrame("evt_1", "conversation.updated", { conversation: { id: "CONV#other" } }),
    eventFrame("evt_2", "message.received", message),
    eventFrame("evt_3", "conversation.updated", { conversation: { id } }),
    eventFrame("evt_4", "referral.received", { referral: { conversation_id: id } }),
  ];
  for (const frame of frames) stream.sockets[0]?.send(frame);
  await expect.poll(program.output).toContain(` referral.received evt_4 ${id}\n`);
  expect(program.output()).toContain(` conversation.updated evt_3 ${id}\n`);
  expect(program.output()).not.toMatch(/evt_[12]/);
});

test("events ends with 1 and the reason when the key is revoked", async () => {
  await using stream = await startStreamServer();
  stream.playTickets((response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        ok: false,
        error: { code: "unauthorized", message: "Invalid API key.", detail: "", docs_url: DOCS_URL },
      }),
    );
  });
  const { code, errors } = await runCli(["events"], { PARLEY_URL: stream.url, PARLEY_KEY: KEY });
  expect([code, errors]).toEqual([
    1,
    `The deployment ended the realtime stream (unauthorized): Invalid API key.\nDocumentation: ${DOCS_URL}\n`,
  ]);
});

test("a refusal is followed by the documentation that the response names, and by none if it is no web address", async () => {
  await using server = await startScriptedServer();
  const env = { PARLEY_URL: server.url, PARLEY_KEY: KEY };
  const refused = "The deployment refused the request (forbidden): No access.\n";
  for (const [docsUrl, line] of [
    [DOCS_URL, `Documentation: ${DOCS_URL}\n`],
    ["javascript:alert(1)", ""],
    [7, ""],
  ]) {
    const error = { code: "forbidden", message: "No access.", detail: "", docs_url: docsUrl };
    server.play((response) => {
      response.writeHead(403, { "content-type": "application/json" }).end(JSON.stringify({ ok: false, error }));
    });
    expect(await runCli(["reply", "Hello"], env)).toEqual({ code: 1, output: "", errors: `${refused}${line}` });
  }
});

test("events replay sends an event to each endpoint that got it, and says what a refusal needs", async () => {
  await using server = await startScriptedServer();
  const answers: Record<string, [number, object]> = {
    "GET /v1/webhooks": [200, { ok: true, data: { endpoints: [{ id: "E1" }, { id: "E2" }] } }],
    "POST /v1/webhooks/E1/deliveries/dlv_1_E1/replay": [
      200,
      { ok: true, data: { delivery_id: "dlv_1_E1", status: "pending" } },
    ],
    "POST /v1/webhooks/E2/deliveries/dlv_1_E2/replay": [404, failure("delivery_not_found", "No such delivery.")],
    "POST /v1/webhooks/E3/deliveries/dlv_1_E3/replay": [409, failure("replay_conflict", "The delivery was delivered.")],
  };
  server.play((response, { method, url }) => {
    const [status, body] = answers[`${method} ${url}`] ?? [404, failure("route_not_found", `${method} ${url}`)];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const env = { PARLEY_URL: server.url, PARLEY_KEY: KEY };
  expect(await runCli(["events", "replay", "evt_1"], env)).toEqual({
    code: 0,
    output: "evt_1 is sent to endpoint E1 again.\n",
    errors: "",
  });
  expect(await runCli(["events", "replay", "evt_1", "--endpoint", "E3"], env)).toEqual({
    code: 1,
    output: "",
    errors:
      "The deployment refused to replay evt_1 to E3 (replay_conflict): The delivery was delivered. Add --force to send a delivered event again.\n",
  });
  expect(await runCli(["events", "replay", "evt_1", "--endpoint", "E2"], env)).toMatchObject({
    code: 1,
    errors: "No delivery of evt_1 to E2. Check the event id.\n",
  });
});

function failure(code: string, text: string): object {
  return { ok: false, error: { code, message: text, detail: "" } };
}

test.each([
  [{ PARLEY_URL: "https://parley.example.com" }, "Missing API key. Set PARLEY_KEY to a key of the deployment."],
  [{ PARLEY_URL: "http://parley.example.com", PARLEY_KEY: KEY }, "API key over plain http."],
  [{ PARLEY_DATA: "/nonexistent" }, "No local stack runs with the data folder /nonexistent."],
])("a target that cannot be used is refused in one line: %j", async (env, problem) => {
  const { code, output, errors } = await runCli(["reply", "Hello"], env as Record<string, string>);
  expect([code, output]).toEqual([1, ""]);
  expect(errors).toMatch(/^[^\n]+\n$/);
  expect(errors).toContain(problem);
});

test("commands of the local stack are refused for a deployment", async () => {
  const env = { PARLEY_URL: "https://parley.example.com", PARLEY_KEY: KEY };
  for (const args of [["message", "Hi"], ["logs"], ["open", "simulator"]]) {
    expect((await runCli(args, env)).errors).toContain("is only for the local stack.");
  }
});

test("doctor names the fix of each finding, and stops at a key that is refused", async () => {
  await using server = await startScriptedServer();
  const ping = {
    ok: true,
    data: { name: "parley", version: "0.1.0", time: new Date(Date.now() + 600_000).toISOString() },
  };
  server.play((response, { url }) => {
    const [status, body] = url === "/v1/ping" ? [200, ping] : [401, failure("unauthorized", "Invalid API key.")];
    response.writeHead(status as number, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const { code, output } = await runCli(["doctor"], { PARLEY_URL: server.url, PARLEY_KEY: KEY });
  expect(code).toBe(1);
  expect(output.split("\n")).toEqual([
    `ok   address: parley 0.1.0 responds at ${server.url}.`,
    expect.stringMatching(/^fail clock: It differs by (5\d\d|600) seconds\. Set the clock of this machine: /),
    "fail key: unauthorized: Invalid API key. Set PARLEY_KEY to a key that is not revoked.",
    "",
  ]);
});

test("a script gets the address of a page, and no browser is opened", async () => {
  const env = { PARLEY_URL: "https://parley.example.com", PARLEY_KEY: KEY };
  expect(await runCli(["open", "docs"], env)).toEqual({
    code: 0,
    output: "https://parley.example.com/docs\n",
    errors: "",
  });
});

test("the command open console prints the address that the deployment names, and that of its own host without one", async () => {
  await using server = await startScriptedServer();
  const env = { PARLEY_URL: server.url, PARLEY_KEY: KEY };
  const named = (console: unknown) => ({ ok: false, error: { code: "route_not_found", links: { console } } });
  for (const [body, url] of [
    [named("https://console.example.com/app"), "https://console.example.com/app"],
    [named("file:///etc/passwd"), `${server.url}/app`],
  ]) {
    server.play((response) => {
      response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    expect(await runCli(["open", "console"], env)).toEqual({ code: 0, output: `${url}\n`, errors: "" });
  }
  server.play((response) => void response.writeHead(301, { location: "https://www.example.com/" }).end());
  expect((await runCli(["open"], env)).output).toBe(`${server.url}/app\n`);
});
