import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { IssuedChallenge } from "#features/holds/rules/proof-of-work.ts";
import { easyPuzzles } from "../../e2e/holds/easy-puzzles.ts";
import { pressLink } from "../../e2e/stack/press-link.ts";
import { readRecords } from "../../e2e/support/access/access-records.ts";
import { runAdmin } from "../../e2e/support/admin.ts";
import { personWrites, simulatedAccount } from "../../e2e/support/api-calls.ts";
import { waitUntilIdle } from "../../e2e/support/emulator-journals.ts";
import { startLocalStack } from "../../e2e/support/local-stack.ts";
import {
  demoAccountIds,
  newMessageId,
  newPersonId,
  postWebhook,
  textEntry,
} from "../../e2e/support/platform-webhooks.ts";
import { createUpload, finishUpload, postFile, upload } from "../../e2e/uploads/upload-client.ts";
import { mediaFiles } from "../../support/files/media-files.ts";
import { solveChallenge } from "../../support/flows/hold-fixture.ts";
import { openedOnce } from "../../support/opened.ts";
import { openSocket, type TestSocket } from "../../support/sockets/test-socket.ts";

// What no other test of `npm run test:access` does: a change while a client has an open socket, an erasure with files, an
// edit, a refused hand-over, and an upload that ends unfinished.

const stack = openedOnce(() => startLocalStack());
const sockets: TestSocket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.terminate();
});

async function openWith(headers: Readonly<Record<string, string>>, origin?: string): Promise<TestSocket> {
  const { status, body } = await stack.request("/v1/realtime/ticket", { method: "POST", headers });
  expect(status).toBe(200);
  const { ticket, url } = body.data as unknown as { ticket: string; url: string };
  const socket = await openSocket(`${url}?ticket=${ticket}`, origin === undefined ? {} : { origin });
  sockets.push(socket);
  // The delay of its first frame, with which the accounts are marked.
  await stack.clock("PT3S");
  await socket.next((text) => text.includes('"hello"'));
  return socket;
}

const openWithKey = () => openWith({ authorization: `Bearer ${stack.info.live_key}` });
let heldConversation: string;
beforeAll(async () => {
  await openWithKey();
  heldConversation = await personWrites(stack, "messenger", "Hilda Held");
});

/** Resolves when every grant is used, with the clock going on, which makes what is due. */
async function expectUsed(grants: readonly string[], step = "PT1M"): Promise<void> {
  const unused = () => {
    const { used } = readRecords([stack.dataDir]);
    return grants.filter((grant) => !used.has(grant));
  };
  // The queues are not empty for long: each hour the checks of accounts are due.
  for (let i = 0; i < 40 && unused().length > 0; i++) {
    if (i % 5 === 4) await stack.clock(step);
    await wait(500);
  }
  expect(unused()).toEqual([]);
}

const image = { filename: "a.png", contentType: "image/png", bytes: mediaFiles["image/png"]() } as const;
const pushOf = (functionId: string) => `${functionId} sqs:SendMessage RealtimeQueue`;
const erase = (conversation: string) => stack.api("DELETE", `/v1/conversations/${encodeURIComponent(conversation)}`);

it("an upload is pushed by HandOver, and the later pass of an erasure removes its files and is pushed by Erase", async () => {
  const conversation = await personWrites(stack, "messenger", "Uma Upload");
  expect(await upload(stack, conversation, image)).toMatchObject({ status: "ready" });
  const { body } = await createUpload(stack, conversation, image);
  expect((await postFile(body.data.upload, image.bytes)).status).toBe(204);
  expect((await erase(conversation)).status).toBe(200);
  await expectUsed([pushOf("HandOver"), pushOf("Erase")]);
}, 120_000);

it("a hand-over whose account is refused changes the account's status, with its event and its next check", async () => {
  const conversation = await personWrites(stack, "instagram_page", "Rita Refused");
  const { body } = await createUpload(stack, conversation, image);
  const { id } = body.data.upload;
  expect((await postFile(body.data.upload, image.bytes)).status).toBe(204);
  await stack.sim("POST", "/faults", { mode: "token_revoked", on: "calls", for: 1 });
  expect((await finishUpload(stack, id)).status).toBe(202);
  await expectUsed([
    "HandOver dynamodb:PutItem SingleTable if ForAllValues:StringLike dynamodb:LeadingKeys E#*",
    "HandOver sqs:SendMessage AccountsQueue",
    "HandOver sqs:SendMessage EventsQueue",
  ]);
}, 120_000);

it("an edit is pushed from its stored body", async () => {
  const [account, person, mid] = [demoAccountIds.instagramPage, newPersonId(), newMessageId("instagram")];
  const at = await stack.now();
  const parties = { sender: { id: person }, recipient: { id: account } };
  const edit = { ...parties, timestamp: at + 1, message_edit: { mid, text: "edited", num_edit: 1 } };
  await postWebhook(stack, "instagram", [textEntry(account, person, mid, "first", at)], { signer: "meta" });
  await waitUntilIdle(stack);
  await postWebhook(stack, "instagram", [{ time: at, id: account, messaging: [edit] }], { signer: "meta" });
  await expectUsed(["Push dynamodb:BatchGetItem SingleTable"]);
}, 120_000);

it("a sign-out closes the socket of its session, by Console", async () => {
  const { output } = await runAdmin(stack.dataDir, "sign-in-link", "owner@local.invalid", "--json");
  const { link } = JSON.parse(output) as { link: string };
  const cookies = (await pressLink(link)).headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  const csrf = cookies.find((cookie) => cookie.startsWith("console_csrf="))?.split("=")[1] ?? "";
  const headers = { cookie: cookies.join("; "), "x-csrf-token": csrf, origin: stack.info.base_url };
  const socket = await openWith(headers, stack.info.base_url);
  const { status } = await stack.request("/console/auth/logout", { method: "POST", headers });
  expect(status).toBe(200);
  await expectUsed([pushOf("Console")]);
  expect(await socket.ended).toMatchObject({ code: expect.any(Number) });
}, 120_000);

it("a data deletion erases a conversation with its files while a socket is open", async () => {
  const conversation = await personWrites(stack, "instagram_login", "Dana Deleted");
  expect(await upload(stack, conversation, image)).toMatchObject({ status: "ready" });
  await openWithKey();
  await stack.sim("POST", "/data-deletion", simulatedAccount(stack, "instagram_login"));
  await expectUsed([pushOf("Account"), "Account s3:DeleteObject UploadBucket/u/*"]);
}, 120_000);

it("an upload that is finished before its file is posted is refused, and its file is removed by Sweep when it stays unfinished", async () => {
  const conversation = await personWrites(stack, "messenger", "Nora Never");
  const { body } = await createUpload(stack, conversation, image);
  const early = await finishUpload(stack, body.data.upload.id);
  expect([early.status, early.body.error.code]).toEqual([404, "upload_not_found"]);
  expect((await postFile(body.data.upload, image.bytes)).status).toBe(204);
  await expectUsed(["Api s3:ListBucket UploadBucket", "Sweep s3:DeleteObject UploadBucket/u/*"], "PT12H");
}, 120_000);

it("a held message is pushed by Verify when its check is passed", async () => {
  await stack.clock("PT25H");
  await openWithKey();
  const request = { conversation_id: heldConversation, text: "held", actor_id: "ann" };
  const { status, body } = await stack.api("POST", "/v1/messages/human-agent", request);
  expect(status).toBe(202);
  const { hold } = body.data as unknown as { hold: { id: string; verify_url: string } };
  const secret = hold.verify_url.split("#t=")[1] ?? "";
  const post = (path: string, content: object) =>
    stack.request(`/verify/holds/${hold.id}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(content),
    });
  const challenge = await post("challenge", { secret });
  const { token } = await easyPuzzles(stack)(challenge.body.data as unknown as IssuedChallenge);
  expect((await post("complete", { secret, token, solutions: solveChallenge(token) })).status).toBe(200);
  await expectUsed([pushOf("Verify")]);
}, 120_000);
