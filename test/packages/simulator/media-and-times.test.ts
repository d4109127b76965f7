import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sampleImage } from "../../../packages/simulator/src/media/sample-image.ts";
import { firstEvent, isEcho, startTestSimulator, startWebhookReceiver, testAccounts } from "./simulator-fixture.ts";

// The files that the simulator serves, and actions in the past.

const MINUTE = 60_000;

async function serveFile(mime: string, bytes: Buffer): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(200, { "Content-Type": mime }).end(bytes));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
}

/** Loads a picture as an `<img>` of a page on another port does. */
async function loadAsImage(url: string): Promise<{ response: IncomingMessage; bytes: Buffer }> {
  const headers = { "sec-fetch-site": "same-site", "sec-fetch-dest": "image", "sec-fetch-mode": "no-cors" };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers }, resolve).on("error", reject);
  });
  return { response, bytes: Buffer.concat(await response.toArray()) };
}

async function sendUpload(type: string, mime: string, bytes: Buffer) {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const { person } = await simulator.personSends("messenger");
  const message = { attachment: { type, payload: { url: await serveFile(mime, bytes), is_reusable: true } } };
  const path = "/facebook_graph/v26.0/me/message_attachments";
  const { body } = await simulator.ask("POST", path, { message }, testAccounts.messenger.token);
  const attachment = { type, payload: { attachment_id: body.attachment_id } };
  await simulator.sendToPerson("messenger", person, { message: { attachment } });
  const [echo] = await hook.waitForWebhooks(1, isEcho);
  return { simulator, attachments: echo && firstEvent(echo).message.attachments };
}

test("the echo of an uploaded picture has a URL that serves the file itself, also to a page of another origin", async () => {
  const picture = sampleImage("a vase");
  const { attachments } = await sendUpload("image", "image/png", picture);
  expect(attachments).toEqual([{ type: "image", payload: { url: expect.stringMatching(/\/media\/\d+\.png$/) } }]);
  const { response, bytes } = await loadAsImage(attachments[0].payload.url);
  expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "image/png"]);
  expect(response.headers["cross-origin-resource-policy"]).toBeUndefined();
  expect(bytes.equals(picture)).toBe(true);
});

test("an uploaded page is only downloaded, because it would run as a page of the simulator", async () => {
  const { attachments } = await sendUpload("file", "text/html", Buffer.from("<script>alert(1)</script>"));
  const response = await fetch(attachments[0].payload.url);
  expect(response.headers.get("content-type")).toBe("application/octet-stream");
  expect(response.headers.get("content-disposition")).toBe("attachment");
  expect(response.headers.get("content-security-policy")).toMatch(/^sandbox/);
});

test("a person has a face and an account a mark, each of its own, and an address that ends", async () => {
  const { simulator } = await sendUpload("image", "image/png", sampleImage("a vase"));
  const load = async (name: string) =>
    Buffer.from(await (await fetch(`${simulator.url}/media/${name}.png`)).arrayBuffer());
  const names = ["person-1", "person-2", "account-1", "account-2", "1"];
  const pictures = await Promise.all(names.map(load));
  expect(new Set(pictures.map((bytes) => bytes.toString("base64"))).size).toBe(names.length);
  expect(await load("person-1")).toEqual(pictures[0]);
  expect((await fetch(`${simulator.url}/media/person-1.png?oe=00000001`)).status).toBe(403);
});

test("a sample is served for a file that is no longer in memory", async () => {
  const simulator = await startTestSimulator((await startWebhookReceiver()).url);
  for (const [name, type] of [
    ["12345.jpg", "image/png"],
    ["12345.mp4", "video/webm"],
    ["12345.pdf", "application/pdf"],
  ])
    expect((await fetch(`${simulator.url}/media/${name}`)).headers.get("content-type")).toBe(type);
  expect((await fetch(`${simulator.url}/media/12345.bin`)).status).toBe(404);
});

test("a person and the account can act in the past, and the webhooks have that time", async () => {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const start = Date.now() - 60 * MINUTE;
  const account = { account: testAccounts.login.externalId, person: "Ada" };
  await simulator.sim("/person-sends", { ...account, text: "Hello", at: start });
  await simulator.sim("/account-sends", { ...account, text: "Hi", at: start + MINUTE });
  await simulator.sim("/person-sends", { ...account, kind: "reaction", at: start + 2 * MINUTE });
  await simulator.sim("/person-sends", { ...account, kind: "unsend", at: start + 3 * MINUTE });
  const events = (await hook.waitForWebhooks(4)).map(firstEvent);
  expect(events.map(({ timestamp }) => timestamp)).toEqual([0, 1, 2, 3].map((minute) => start + minute * MINUTE));
  const { threads } = (await simulator.get("/_sim/state")).body;
  const thread = threads.find(({ messages }: { messages: unknown[] }) => messages.length === 2);
  expect(thread.lastInboundAt).toBe(start + 2 * MINUTE);
});

test.each([
  ["in the future", MINUTE, /^at is in the future/],
  ["before the newest message of the thread", -2 * MINUTE, /^at is before the newest message/],
] as const)("an action %s is refused and changes nothing", async (_name, offset, error) => {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const account = { account: testAccounts.login.externalId, person: "Ada" };
  await simulator.sim("/person-sends", { ...account, text: "Hello", at: Date.now() - MINUTE });
  for (const route of ["/person-sends", "/account-sends"]) {
    const answer = await simulator.sim(route, { ...account, text: "no", at: Date.now() + offset });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(error)]);
  }
  const { threads } = (await simulator.get("/_sim/state")).body;
  expect(threads.flatMap(({ messages }: { messages: unknown[] }) => messages)).toHaveLength(1);
  expect(hook.got).toHaveLength(1);
});
