import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Connection } from "../../../shared/domain/accounts/accounts.ts";
import type { OutgoingAttachment } from "../../../shared/domain/sending/send-content.ts";
import { type PlatformAnswer, type PlatformHttp, platformHttp } from "../../../shared/platforms/http.ts";
import type { Send } from "../../../shared/platforms/platform.ts";
import { platformFor } from "../../../shared/platforms/platform-for.ts";
import { type Answer, json, startLoopback } from "./loopback.ts";

const connections = ["instagram_login", "instagram_page", "messenger"] as const;
const account = { platform: "instagram", externalId: "17840000000000001", pageId: "102030405060708" } as const;
const ok = json(200, { recipient_id: "1", message_id: "m_1" });
const refusal = (code: number, error_subcode?: number) =>
  json(400, { error: { message: `(#${code}) No`, code, error_subcode } });
const typeRefused = refusal(100, 2534015);

let platform: Awaited<ReturnType<typeof startLoopback>>;
beforeAll(async () => {
  platform = await startLoopback();
});
afterAll(() => platform.stop());

function sendOver(connection: Connection, changes: Partial<Send>, http = platformHttp()) {
  const upstream = { facebookGraph: platform.origin, instagramGraph: platform.origin, graphVersion: "v26.0" };
  return platformFor(connection, upstream, http).send(account, "TOKEN", {
    recipientId: "6543210987654321",
    content: { kind: "text", text: "hi" },
    humanAgent: false,
    replyTo: null,
    metadata: "snd_1",
    ...changes,
  });
}

const media = (...attachments: OutgoingAttachment[]) => ({ content: { kind: "attachments", attachments } }) as const;
const byUrl = (type: OutgoingAttachment["type"]) => ({ type, url: `https://files.example/${type}` });
const byId = (type: OutgoingAttachment["type"]) => ({ type, attachmentId: "1857777774821032" });
/** The bodies of the calls made since the last answerWith. */
const bodies = () => platform.calls.map(({ body }) => body);

/** Gives each call its own answer, the last one ever after. */
function inTurn(...answers: Answer[]): Answer {
  let at = 0;
  return (request, response) => answers[Math.min(at++, answers.length - 1)]?.(request, response);
}

describe.each(connections)("%s", (connection) => {
  const metadata = connection === "messenger" ? { metadata: "snd_1" } : {};
  const recipient = { id: "6543210987654321" };
  const response = { recipient, messaging_type: "RESPONSE" };

  test("says RESPONSE without a tag within the window, and MESSAGE_TAG with HUMAN_AGENT for a human agent", async () => {
    platform.answerWith(ok);
    await sendOver(connection, {});
    await sendOver(connection, { humanAgent: true, replyTo: "m_0" });
    expect(bodies()).toEqual([
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
    "sends one %s as the attachment, by url or id",
    async (type) => {
      platform.answerWith(ok);
      await sendOver(connection, media(byUrl(type)));
      await sendOver(connection, media(byId(type)));
      const url = { type, payload: { url: `https://files.example/${type}` } };
      const id = { type, payload: { attachment_id: "1857777774821032" } };
      expect(bodies()).toEqual([
        { ...response, message: { attachment: url, ...metadata } },
        { ...response, message: { attachment: id, ...metadata } },
      ]);
    },
  );

  test("sends several images as the attachments, urls and ids mixed, in their order", async () => {
    platform.answerWith(ok);
    await sendOver(connection, media(byUrl("image"), byId("image"), byUrl("image")));
    const url = { type: "image", payload: { url: "https://files.example/image" } };
    const id = { type: "image", payload: { attachment_id: "1857777774821032" } };
    expect(bodies()).toEqual([{ ...response, message: { attachments: [url, id, url], ...metadata } }]);
  });
});

describe("an uploaded file whose type Instagram does not take for a page's account", () => {
  const share = { type: "MEDIA_SHARE", payload: { attachment_id: "1857777774821032" } };

  test("is sent once more as MEDIA_SHARE, and all else as before", async () => {
    platform.answerWith(inTurn(typeRefused, ok));
    const asked = { ...media(byUrl("image"), byId("image")), humanAgent: true, replyTo: "m_0" };
    expect(await sendOver("instagram_page", asked)).toEqual({ kind: "accepted", messageId: "m_1" });
    const [first, second, ...more] = bodies() as Record<string, unknown>[];
    expect(more).toEqual([]);
    const url = { type: "image", payload: { url: "https://files.example/image" } };
    expect(second).toEqual({ ...first, message: { attachments: [url, share] } });
  });

  test("is not sent a third time, and the last refusal counts", async () => {
    platform.answerWith(inTurn(typeRefused, refusal(190, 460)));
    expect(await sendOver("instagram_page", media(byId("video")))).toMatchObject({ class: "token", subcode: 460 });
    platform.answerWith(typeRefused);
    expect(await sendOver("instagram_page", media(byId("video")))).toMatchObject({ code: 100, subcode: 2534015 });
    expect(bodies()).toMatchObject([
      { message: { attachment: { type: "video" } } },
      { message: { attachment: share } },
    ]);
  });

  test.each<[string, Answer]>([
    ["of any other subcode", refusal(100, 2018074)],
    ["without a subcode", refusal(100)],
    ["of another code", refusal(10, 2534015)],
    ["in a 500", json(500, { error: { message: "m", code: 100, error_subcode: 2534015 } })],
    ["in a 200", json(200, { error: { message: "m", code: 100, error_subcode: 2534015 } })],
    ["that is cut off", (request) => request.socket.resetAndDestroy()],
    ["that takes it", ok],
  ])("is sent once alone after an answer %s", async (_name, answer) => {
    platform.answerWith(answer);
    await sendOver("instagram_page", media(byId("image")));
    expect(platform.calls).toHaveLength(1);
  });

  test("is sent once alone where nothing was uploaded, and on the other connections", async () => {
    platform.answerWith(typeRefused);
    expect(await sendOver("instagram_page", media(byUrl("image")))).toMatchObject({ subcode: 2534015 });
    expect(await sendOver("instagram_page", {})).toMatchObject({ subcode: 2534015 });
    expect(await sendOver("instagram_login", media(byId("image")))).toMatchObject({ subcode: 2534015 });
    expect(await sendOver("messenger", media(byId("image")))).toMatchObject({ subcode: 2534015 });
    expect(platform.calls).toHaveLength(4);
  });

  test("has one deadline for both calls, and after it the refusal stands", async () => {
    const end = new AbortController();
    const signals: (AbortSignal | undefined)[] = [];
    const error = { message: "m", code: 100, error_subcode: 2534015 };
    const refused = { kind: "answered", status: 400, body: JSON.stringify({ error }), usage: null, retryAfter: null };
    const http = (isLate: boolean): PlatformHttp => ({
      deadline: () => end.signal,
      post: async (_url, _token, _body, signal) => {
        signals.push(signal);
        if (isLate) end.abort();
        return refused as PlatformAnswer;
      },
      get: () => Promise.reject(new Error("not asked for")),
    });
    const sendBy = (by: PlatformHttp) => sendOver("instagram_page", media(byId("image")), by);
    expect(await sendBy(http(false))).toMatchObject({ subcode: 2534015 });
    expect(signals).toEqual([end.signal, end.signal]);
    expect(await sendBy(http(true))).toMatchObject({ subcode: 2534015 });
    expect(signals).toHaveLength(3);
  });
});
