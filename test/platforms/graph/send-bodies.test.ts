import { describe, expect, test } from "vitest";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import type { OutgoingAttachment } from "#features/sending/rules/send-content.ts";
import { type CallOutcome, type PlatformHttp, platformHttp } from "#platforms/graph/http.ts";
import type { Send } from "#platforms/graph/platform.ts";
import { platformFor } from "#platforms/platforms.ts";
import { openedOnce } from "../../support/opened.ts";
import { jsonResponse, type Respond, startFakePlatform, textSend, upstreamAt } from "./fake-platform.ts";

const connections = ["instagram_login", "instagram_page", "messenger"] as const;
const account = { platform: "instagram", externalId: "17840000000000001", pageId: "102030405060708" } as const;
const ok = jsonResponse(200, { recipient_id: "1", message_id: "m_1" });
const refusalResponse = (code: number, error_subcode?: number) =>
  jsonResponse(400, { error: { message: `(#${code}) No`, code, error_subcode } });
const typeRefused = refusalResponse(100, 2534015);
const platform = openedOnce(startFakePlatform);

function sendOver(connection: Connection, changes: Partial<Send>, http = platformHttp()) {
  return platformFor(connection, upstreamAt(platform.origin), http).send(account, "TOKEN", { ...textSend, ...changes });
}

const attachmentsContent = (...attachments: OutgoingAttachment[]) =>
  ({ content: { kind: "attachments", attachments } }) as const;
const byUrl = (type: OutgoingAttachment["type"]) => ({ type, url: `https://files.example/${type}` });
const byId = (type: OutgoingAttachment["type"]) => ({ type, attachmentId: "1857777774821032" });
/** The bodies of the calls made since the last answerWith. */
const requestBodies = () => platform.calls.map(({ body }) => body);

/** Returns the given responses in order and repeats the last one. */
function respondInTurn(...answers: Respond[]): Respond {
  let at = 0;
  return (request, response) => answers[Math.min(at++, answers.length - 1)]?.(request, response);
}

describe.each(connections)("%s", (connection) => {
  const metadata = connection === "messenger" ? { metadata: "snd_1" } : {};
  const recipient = { id: "6543210987654321" };
  const response = { recipient, messaging_type: "RESPONSE" };

  test("the body says RESPONSE without a tag within the window, and MESSAGE_TAG with HUMAN_AGENT for a human agent", async () => {
    platform.respondWith(ok);
    await sendOver(connection, {});
    await sendOver(connection, { humanAgent: true, replyTo: "m_0" });
    expect(requestBodies()).toEqual([
      { ...response, message: { text: "hi", ...metadata } },
      {
        recipient,
        messaging_type: "MESSAGE_TAG",
        tag: "HUMAN_AGENT",
        message: { text: "hi", ...metadata },
        reply_to: { mid: "m_0" },
      },
    ]);
  });

  test.each(["image", "video", "audio", "file"] as const)(
    "the body sends one %s as the attachment, by url or id",
    async (type) => {
      platform.respondWith(ok);
      await sendOver(connection, attachmentsContent(byUrl(type)));
      await sendOver(connection, attachmentsContent(byId(type)));
      const url = { type, payload: { url: `https://files.example/${type}` } };
      const id = { type, payload: { attachment_id: "1857777774821032" } };
      expect(requestBodies()).toEqual([
        { ...response, message: { attachment: url, ...metadata } },
        { ...response, message: { attachment: id, ...metadata } },
      ]);
    },
  );

  test("the body sends several images as the attachments, urls and ids mixed, in their order", async () => {
    platform.respondWith(ok);
    await sendOver(connection, attachmentsContent(byUrl("image"), byId("image"), byUrl("image")));
    const url = { type: "image", payload: { url: "https://files.example/image" } };
    const id = { type: "image", payload: { attachment_id: "1857777774821032" } };
    expect(requestBodies()).toEqual([{ ...response, message: { attachments: [url, id, url], ...metadata } }]);
  });
});

const notCalled = () => Promise.reject(new Error("A send is one or two posts."));
const uncalled = { get: notCalled, postForm: notCalled, delete: notCalled };

const share = { type: "MEDIA_SHARE", payload: { attachment_id: "1857777774821032" } };

test("an uploaded file whose type Instagram refuses for a page's account is sent again as MEDIA_SHARE, otherwise unchanged", async () => {
  platform.respondWith(respondInTurn(typeRefused, ok));
  const sendRequest = { ...attachmentsContent(byUrl("image"), byId("image")), humanAgent: true, replyTo: "m_0" };
  expect(await sendOver("instagram_page", sendRequest)).toEqual({ kind: "accepted", messageId: "m_1" });
  const [first, second, ...more] = requestBodies() as Record<string, unknown>[];
  expect(more).toEqual([]);
  const url = { type: "image", payload: { url: "https://files.example/image" } };
  expect(second).toEqual({ ...first, message: { attachments: [url, share] } });
});

test("an uploaded file whose type Instagram refuses for a page's account is not sent a third time, and the last refusal is returned", async () => {
  platform.respondWith(respondInTurn(typeRefused, refusalResponse(190, 460)));
  expect(await sendOver("instagram_page", attachmentsContent(byId("video")))).toMatchObject({
    class: "token",
    subcode: 460,
  });
  platform.respondWith(typeRefused);
  expect(await sendOver("instagram_page", attachmentsContent(byId("video")))).toMatchObject({
    code: 100,
    subcode: 2534015,
  });
  expect(requestBodies()).toMatchObject([
    { message: { attachment: { type: "video" } } },
    { message: { attachment: share } },
  ]);
});

test.each<[string, Respond]>([
  ["of any other subcode", refusalResponse(100, 2018074)],
  ["without a subcode", refusalResponse(100)],
  ["of another code", refusalResponse(10, 2534015)],
  ["in a 500", jsonResponse(500, { error: { message: "m", code: 100, error_subcode: 2534015 } })],
  ["in a 200", jsonResponse(200, { error: { message: "m", code: 100, error_subcode: 2534015 } })],
  ["that is cut off", (request) => request.socket.resetAndDestroy()],
  ["that takes it", ok],
])(
  "an uploaded file whose type Instagram refuses for a page's account is sent only once after a response %s",
  async (_name, answer) => {
    platform.respondWith(answer);
    await sendOver("instagram_page", attachmentsContent(byId("image")));
    expect(platform.calls).toHaveLength(1);
  },
);

test("an uploaded file whose type Instagram refuses for a page's account is sent only once without an upload, and on the other connections", async () => {
  platform.respondWith(typeRefused);
  expect(await sendOver("instagram_page", attachmentsContent(byUrl("image")))).toMatchObject({ subcode: 2534015 });
  expect(await sendOver("instagram_page", {})).toMatchObject({ subcode: 2534015 });
  expect(await sendOver("instagram_login", attachmentsContent(byId("image")))).toMatchObject({ subcode: 2534015 });
  expect(await sendOver("messenger", attachmentsContent(byId("image")))).toMatchObject({ subcode: 2534015 });
  expect(platform.calls).toHaveLength(4);
});

test("an uploaded file whose type Instagram refuses for a page's account returns the refusal of the first call when the second one is late", async () => {
  const error = { message: "m", code: 100, error_subcode: 2534015 };
  const refused = { kind: "answered", status: 400, body: JSON.stringify({ error }), usage: null, retryAfter: null };
  const outcomes = [refused, { kind: "late" }] as CallOutcome[];
  const http: PlatformHttp = {
    deadline: () => new AbortController().signal,
    post: async () => outcomes.shift() ?? { kind: "lost" },
    ...uncalled,
  };
  expect(await sendOver("instagram_page", attachmentsContent(byId("image")), http)).toMatchObject({
    kind: "refused",
    subcode: 2534015,
  });
  expect(outcomes).toEqual([]);
});

test("an uploaded file whose type Instagram refuses for a page's account has one deadline for both calls, after which the refusal is returned", async () => {
  const end = new AbortController();
  const signals: (AbortSignal | undefined)[] = [];
  const error = { message: "m", code: 100, error_subcode: 2534015 };
  const refused = { kind: "answered", status: 400, body: JSON.stringify({ error }), usage: null, retryAfter: null };
  const http = (isLate: boolean): PlatformHttp => ({
    deadline: () => end.signal,
    post: async ({ deadline }) => {
      signals.push(deadline);
      if (isLate) end.abort();
      return refused as CallOutcome;
    },
    ...uncalled,
  });
  const sendBy = (http: PlatformHttp) => sendOver("instagram_page", attachmentsContent(byId("image")), http);
  expect(await sendBy(http(false))).toMatchObject({ subcode: 2534015 });
  expect(signals).toEqual([end.signal, end.signal]);
  expect(await sendBy(http(true))).toMatchObject({ subcode: 2534015 });
  expect(signals).toHaveLength(3);
});
