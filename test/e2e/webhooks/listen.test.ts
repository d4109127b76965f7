import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ForwardedDelivery } from "#cli/listen/deliveries.ts";
import { openForwarder } from "#cli/listen/forwarder.ts";
import { verify } from "../../../docs/guides/receivers/verify.ts";
import { apiRoutes } from "../../../functions/api/routes.ts";
import { openedOnce } from "../../support/opened.ts";
import { runAdmin } from "../support/admin.ts";
import { listDeliveries } from "../support/api-calls.ts";
import { waitUntilIdle } from "../support/emulator-journals.ts";
import { freePort, isListening, openFakeStack, openHangingReceiver } from "../support/fake-servers.ts";
import { type ListenProcess, waitUntilListening } from "../support/listen-process.ts";
import { startLocalStack } from "../support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../support/platform-webhooks.ts";
import { type Program, runProgram } from "../support/processes.ts";
import { verifyPackages } from "../support/verify-signature.ts";
import { waitFor } from "../support/wait-for.ts";
import { openReceiver } from "../support/webhook-receiver.ts";

const TEXT = "a text that is never printed";

const stack = openedOnce(startLocalStack);
const receiver = openedOnce(openReceiver);

const runningPrograms = new Set<Program>();
afterEach(async () => {
  receiver.respondWith(() => ({ status: 200 }));
  for (const { child } of runningPrograms) child.kill("SIGTERM");
  await Promise.all([...runningPrograms].map(({ exitCode: ended }) => ended));
  runningPrograms.clear();
});

function startListen(args: readonly string[], dataDir = stack.dataDir, env: Record<string, string> = {}): Program {
  const program = runProgram("bin/admin", ["listen", ...args], { PARLEY_DATA: dataDir, ...env });
  runningPrograms.add(program);
  return program;
}

async function startAndWait(forwardTo: string, ...args: string[]): Promise<ListenProcess> {
  return waitUntilListening(startListen(["--forward-to", forwardTo, "--json", ...args]), forwardTo);
}

async function sendMessage(): Promise<string> {
  const mid = newMessageId();
  await postWebhook(stack, "page", [textEntry(demoAccountIds.messenger, newPersonId(), mid, TEXT, Date.now())]);
  return mid;
}

/** True if this stack can delete an endpoint. */
function canRemove(): boolean {
  return apiRoutes.some(({ method, path }) => method === "DELETE" && path === "/v1/webhooks/{id}");
}

async function endpointIds(): Promise<string[]> {
  return (await stack.api("GET", "/v1/webhooks")).body.data.endpoints.map(({ id }) => id);
}

it("admin listen forwards the body of a delivery unchanged and signs it, so that the receiver can verify it with the printed secret", async () => {
  const { id, secret, lines } = await startAndWait(receiver.url);
  const before = receiver.deliveries.length;
  const mid = await sendMessage();
  const [line] = await waitFor("the line is printed", () => lines()[0] && lines());
  const [delivery] = receiver.deliveries.slice(before);
  expect(delivery?.event.data.message).toMatchObject({ id: mid, text: TEXT });
  if (!delivery) return;
  const { raw, headers, event } = delivery;
  expect(headers).toMatchObject({ "content-type": "application/json", "svc-event-id": event.id });
  expect(headers["svc-delivery-id"]).toBe(`dlv_${event.id.slice(4)}_${id}`);
  expect(verify(raw, headers, secret)).toBe(true);
  expect(verify(raw, headers, `${secret}=`)).toBe(false);
  for (const accepts of Object.values(verifyPackages)) expect(accepts(secret, delivery)).toBe(true);
  expect(line).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    event_type: "message.received",
    event_id: event.id,
    status: 200,
    failure: null,
    duration_ms: expect.any(Number),
  });
  await waitFor(
    "the stack has recorded the delivery",
    async () => (await listDeliveries(stack, id))[0]?.status === "delivered",
  );
});

it("admin listen prints a line per delivery, the secret once and no message text", async () => {
  const program = startListen(["--forward-to", receiver.url]);
  await waitFor("listen is ready", () => program.output().includes("whs_"));
  await sendMessage();
  const line = /^\S+Z message\.received evt_[0-9A-Z]{26} 200 \d+ ms$/m;
  await waitFor("the line is printed", () => line.test(program.output()));
  program.child.kill("SIGINT");
  expect(await program.exitCode).toBe(0);
  expect(program.output()).toContain("Use this secret in your receiver:");
  expect(program.output().match(/whs_/g)).toHaveLength(1);
  expect(program.output()).not.toContain(TEXT);
  expect(program.errors()).toBe("");
});

it("admin listen says that the stack's clock is ahead when a receiver rejects a delivery whose time is in the future", async () => {
  const before = await endpointIds();
  const program = startListen(["--forward-to", receiver.url]);
  await waitFor("listen is ready", () => program.output().includes("whs_"));
  const { endpoints } = (await stack.api("GET", "/v1/webhooks")).body.data;
  const url = endpoints.find(({ id }) => !before.includes(id))?.url ?? "";
  receiver.respondWith(() => ({ status: 401 }));
  const post = (id: string, at: number) =>
    fetch(url, {
      method: "POST",
      headers: { "svc-event-type": "test", "svc-event-id": id, "svc-timestamp": `${Math.floor(at / 1_000)}` },
      body: "{}",
    });
  await post("now", Date.now());
  await post("ahead", Date.now() + 10 * 60_000);
  const note = "the stack's clock is ahead: a receiver rejects its timestamps";
  await waitFor("both lines are printed", () => / ahead 401 /.test(program.output()));
  expect(program.output()).toMatch(/ test now 401 \d+ ms$/m);
  expect(program.output()).toMatch(new RegExp(` test ahead 401 \\(${note}\\) \\d+ ms$`, "m"));
});

it("admin listen responds to the stack with the receiver's status and Retry-After", async () => {
  const { id, lines } = await startAndWait(receiver.url);
  receiver.respondWith(() => ({ status: 429, headers: { "retry-after": "7200" } }));
  await sendMessage();
  await waitFor("a retry is scheduled", async () => (await listDeliveries(stack, id))[0]?.status === "retrying");
  const [delivery] = await listDeliveries(stack, id);
  expect(delivery).toMatchObject({ last_response_status: 429, last_error: "status" });
  expect((delivery?.next_retry_at ?? 0) - (delivery?.updated_at ?? 0)).toBeGreaterThanOrEqual(7_190_000);
  receiver.respondWith(() => ({ status: 410 }));
  await sendMessage();
  await waitFor("the delivery has failed", async () => (await listDeliveries(stack, id))[0]?.status === "failed");
  const [, , paused] = await waitFor("listen says that its endpoint is paused", () => lines().length === 3 && lines());
  expect(lines().map(({ status }) => status)).toEqual([429, 410, undefined]);
  expect(paused).toEqual({ endpoint: id, paused: "gone", message: expect.stringContaining("start it again to go on") });
});

it("admin listen responds 502 while the receiver is down; once it is up, the retry arrives and verifies", async () => {
  const port = await freePort();
  const { id, secret, lines } = await startAndWait(`http://127.0.0.1:${port}/hooks`);
  await sendMessage();
  await waitFor("a retry is scheduled", async () => (await listDeliveries(stack, id))[0]?.status === "retrying");
  expect((await listDeliveries(stack, id))[0]).toMatchObject({ last_response_status: 502, last_error: "status" });

  const settings = { PORT: String(port), SIGNING_SECRET: secret };
  const example = runProgram("docs/guides/receivers/receiver", [], settings);
  runningPrograms.add(example);
  await waitFor("the example receiver listens", () => isListening(port));
  await stack.clock("PT10S");
  // The event of an earlier test that is still on its way may come to this endpoint, too.
  const [{ event_id: eventId } = { event_id: "" }] = lines();
  const own = () => lines().filter(({ event_id }) => event_id === eventId);
  await waitFor("the retry arrived", async () =>
    (await listDeliveries(stack, id)).some(({ event_id, status }) => event_id === eventId && status === "delivered"),
  );
  await waitFor("the line of the retry is printed", () => own().at(-1)?.status === 204);
  const [accepted, ...refused] = own()
    .map(({ status, failure }) => [status, failure])
    .toReversed();
  expect(accepted).toEqual([204, null]);
  // On a busy machine a response may come after the 1.5 s of a first attempt, which the slow queue then repeats.
  expect(new Set(refused.map(String))).toEqual(new Set(["502,unreachable"]));
  await waitFor("the example receiver has printed it", () =>
    example.output().includes(`${eventId}: a message in CONV#demo#`),
  );
});

it("admin listen subscribes only to the requested event types", async () => {
  const all = await startAndWait(receiver.url);
  const { lines } = await startAndWait(receiver.url, "--events", "account.connected,message.sent");
  await sendMessage();
  await waitFor("the event is forwarded", () => all.lines().length === 1);
  await waitUntilIdle(stack);
  expect(lines()).toEqual([]);
});

it("admin listen refuses other paths and methods, and a body over 1 MB", async () => {
  const { id, lines } = await startAndWait(receiver.url);
  const before = receiver.deliveries.length;
  const { body } = await stack.api("GET", `/v1/webhooks/${id}`);
  const { url } = body.data.endpoint;
  const post = async (to: string, size: number): Promise<number> =>
    (await fetch(to, { method: "POST", body: "x".repeat(size) })).status;
  expect(await post(new URL("/", url).href, 10)).toBe(404);
  expect((await fetch(url)).status).toBe(404);
  expect(await post(url, 1_000_001)).toBe(413);
  await waitFor("the line is printed", () => lines().length === 1);
  expect(lines()[0]).toMatchObject({ status: 413, failure: "too_large", event_type: "-", event_id: "-" });
  expect(receiver.deliveries).toHaveLength(before);
});

it.each(["SIGINT", "SIGTERM"] as const)(
  "admin listen deletes its endpoint at %s and exits with 0, also during a delivery",
  async (signal) => {
    const { url, hangingRequests, close } = await openHangingReceiver();
    const { program, id, lines } = await startAndWait(url);
    expect(await endpointIds()).toContain(id);
    await sendMessage();
    await waitFor("the receiver has it and does not respond", () => hangingRequests() === 1);
    program.child.kill(signal);
    // npm and the terminal both send the signal.
    program.child.kill(signal);
    expect(await program.exitCode).toBe(0);
    await close();
    const removed = canRemove();
    expect(lines().at(-1)).toEqual({ endpoint: id, removed });
    expect(lines()[0]).toMatchObject({ event_type: "message.received", status: 502, failure: "aborted" });
    expect((await endpointIds()).includes(id)).toBe(!removed);
  },
);

it("a receiver that does not respond has a time-out", async () => {
  const { url, close } = await openHangingReceiver();
  const reported: ForwardedDelivery[] = [];
  const forwarder = await openForwarder(
    { receiver: { url: new URL(url), ca: undefined }, secret: "whs_AAAA", timeout: 100 },
    (done) => reported.push(done),
  );
  expect((await fetch(forwarder.url, { method: "POST", body: "{}" })).status).toBe(502);
  await waitFor("the delivery is reported", () => reported[0]);
  expect(reported).toMatchObject([{ status: 502, failure: "timeout" }]);
  await Promise.all([forwarder.close(), close()]);
});

const gone = { ok: false, error: { code: "endpoint_not_found", message: "", detail: "" } };
const noRoute = { ok: false, error: { code: "route_not_found", message: "", detail: "" } };
it.each([
  ["deleted by it", [200, { ok: true, data: { deleted: true } }], "Endpoint E1 was deleted."],
  ["already deleted", [404, gone], "Endpoint E1 was deleted."],
  ["not deleted by a stack without the route", [404, noRoute], "Endpoint E1 was not deleted. Delete it with the API."],
  ["not deleted by a stack that has ended", null, "Endpoint E1 was not deleted. Delete it with the API."],
] as const)(
  "admin listen, when it ends, reports that the endpoint is %s and exits with 0",
  async (_, deleteResponse, lastLine) => {
    const double = await openFakeStack(deleteResponse);
    const program = startListen(["--forward-to", receiver.url, "--tenant", "other-shop"], double.dataDir);
    await waitFor("listen is ready", () => program.output().includes("whs_"));
    program.child.kill("SIGTERM");
    expect(await program.exitCode).toBe(0);
    await double.close();
    expect(program.output().trim().split("\n").at(-1)).toBe(lastLine);
    expect(double.requests).toEqual([
      "POST /v1/webhooks?tenant=other-shop Bearer key",
      "DELETE /v1/webhooks/E1?tenant=other-shop Bearer key",
    ]);
  },
);

it("admin listen under npm deletes its endpoint with the key in PARLEY_KEY, also after a repeated signal", async () => {
  const deleteGate = Promise.withResolvers<void>();
  const double = await openFakeStack([200, { ok: true, data: { deleted: true } }], deleteGate.promise);
  const program = startListen(["--forward-to", receiver.url], double.dataDir, { PARLEY_KEY: "mine" });
  await waitFor("listen is ready", () => program.output().includes("whs_"));
  program.child.kill("SIGINT");
  await waitFor("the endpoint is being deleted", () => double.requests.length === 2);
  // The terminal signals the whole process group, and npm forwards its own signal.
  program.child.kill("SIGINT");
  deleteGate.resolve();
  expect(await program.exitCode).toBe(0);
  await double.close();
  expect(program.output()).toContain("Endpoint E1 was deleted.");
  expect(double.requests).toEqual(["POST /v1/webhooks Bearer mine", "DELETE /v1/webhooks/E1 Bearer mine"]);
});

describe("admin listen prints one line and exits with 1 for", () => {
  it.each([
    ["a malformed URL", ["--forward-to", "localhost"]],
    ["another scheme", ["--forward-to", "ftp://127.0.0.1/"]],
    ["a file", ["--forward-to", "file:///etc/hosts"]],
  ])("admin listen prints one line and exits with 1 for %s", async (_, args) => {
    const { code, output, errors } = await runAdmin(stack.dataDir, "listen", ...args);
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toBe(
      "Invalid receiver URL. Set --forward-to to an http or https URL, or omit it to print the events.\n",
    );
  });

  it("a tenant outside its key, with the stack's error code, and an unknown event type, with the nearest one", async () => {
    const before = await endpointIds();
    for (const [args, error] of [
      [
        ["--tenant", "other-shop"],
        /^The local stack refused the endpoint \(forbidden\): [^\n]+\nDocumentation: \S+#forbidden\n$/,
      ],
      [["--events", "message.shouted"], /^Unknown event type: message\.shouted\. Did you mean message\.deleted\?\n$/],
    ] as const) {
      const run = await runAdmin(stack.dataDir, "listen", "--forward-to", receiver.url, ...args);
      expect([run.code, run.output]).toEqual([1, ""]);
      expect(run.errors).toMatch(error);
    }
    expect(await endpointIds()).toEqual(before);
  });

  it("a data folder without a running stack, as the other commands do", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-listen-"));
    const [one, other] = await Promise.all([
      runAdmin(folder, "listen", "--forward-to", receiver.url),
      runAdmin(folder, "key", "create", "--tenant", "demo"),
    ]);
    rmSync(folder, { recursive: true });
    expect([one.code, one.output]).toEqual([1, ""]);
    expect(one.errors).toMatch(/^No local stack runs with the data folder [^\n]+\n$/);
    expect(one.errors).toBe(other.errors);
  });

  it("a data folder whose stack was killed", async () => {
    const double = await openFakeStack(null);
    const folder = `${double.dataDir}-killed`;
    cpSync(double.dataDir, folder, { recursive: true });
    await double.close();
    const { code, output, errors } = await runAdmin(folder, "listen", "--forward-to", receiver.url);
    rmSync(folder, { recursive: true });
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toMatch(/^No local stack runs with the data folder [^\n]+\n$/);
  });
});
