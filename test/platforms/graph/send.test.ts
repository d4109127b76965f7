import { createHmac } from "node:crypto";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { openCallScope } from "#base/kernel/call-scope.ts";
import { setRuntimeOverrides } from "#base/kernel/runtime.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import type { OutgoingAttachment } from "#features/sending/rules/send-content.ts";
import { type PlatformHttp, platformHttp } from "#platforms/graph/http.ts";
import type { Send } from "#platforms/graph/platform.ts";
import { platformFor } from "#platforms/platforms.ts";
import { openedOnce } from "../../support/opened.ts";
import { jsonResponse, startFakePlatform, TOKEN, textSend, upstreamAt } from "./fake-platform.ts";

const text = "héllo";
const send: Send = { ...textSend, content: { kind: "text", text } };
const account = { platform: "messenger", externalId: "102030405060708", pageId: "102030405060708" } as const;
const unknownOutcome = { kind: "unknown", detail: "outcome_unknown" };
const platform = openedOnce(startFakePlatform);

function sendOver(
  connection: Connection,
  changes: Partial<Send> = {},
  {
    http = platformHttp(),
    token = TOKEN,
    origin = platform.origin,
  }: { http?: PlatformHttp; token?: string; origin?: string } = {},
) {
  return platformFor(connection, upstreamAt(origin), http).send(account, token, { ...send, ...changes });
}

const ok = jsonResponse(200, { recipient_id: send.recipientId, message_id: "m_1" });

describe("what is sent", () => {
  const recipient = { id: send.recipientId };

  test.each([
    ["instagram_login", "/instagram/v26.0/me/messages", { text }],
    ["instagram_page", "/facebook/v26.0/me/messages", { text }],
    ["messenger", "/facebook/v26.0/me/messages", { text, metadata: "snd_1" }],
  ] as const)("%s posts to %s", async (connection, url, message) => {
    platform.respondWith(ok);
    expect(await sendOver(connection)).toEqual({ kind: "accepted", messageId: "m_1" });
    expect(platform.calls).toMatchObject([
      { method: "POST", url, body: { recipient, messaging_type: "RESPONSE", message } },
    ]);
    expect(platform.calls[0]?.body).toEqual({ recipient, messaging_type: "RESPONSE", message });
    expect(platform.calls[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
    });
  });

  test.each(["instagram_login", "instagram_page", "messenger"] as const)(
    "%s has reply_to beside the message",
    async (connection) => {
      platform.respondWith(ok);
      await sendOver(connection, { replyTo: "m_0" });
      expect(platform.calls[0]?.body).toMatchObject({ reply_to: { mid: "m_0" } });
    },
  );

  test.each([
    ["instagram_login", false],
    ["instagram_page", true],
    ["messenger", true],
  ] as const)("%s proves the app's secret: %s", async (connection, proves) => {
    platform.respondWith(ok);
    const http = platformHttp();
    for (const secret of ["an app secret", "", null]) {
      await platformFor(connection, upstreamAt(platform.origin), http, secret).send(account, TOKEN, send);
    }
    const proof = createHmac("sha256", "an app secret").update(TOKEN).digest("hex");
    const proofs = platform.calls.map(({ body }) => (body as { appsecret_proof?: string }).appsecret_proof);
    expect(proofs).toEqual([proves ? proof : undefined, undefined, undefined]);
    expect(platform.calls.map(({ url }) => url).join()).not.toContain("proof");
  });

  const attached = (...attachments: OutgoingAttachment[]) => ({ kind: "attachments", attachments }) as const;
  const image = { type: "image", url: "https://files.example/a.png" } as const;
  test.each([
    ["a text", { kind: "text", text }, "call"],
    ["an uploaded file", attached({ type: "file", attachmentId: "1" }), "call"],
    ["a URL", attached(image), "fetch"],
    ["a URL beside an uploaded file", attached({ type: "image", attachmentId: "1" }, image), "fetch"],
  ] as const)("%s has the time of its kind, within the time of its request", async (_name, content, kind) => {
    platform.respondWith(ok);
    const http = platformHttp();
    const deadlines: unknown[] = [];
    const deadline: PlatformHttp["deadline"] = (...args) => {
      deadlines.push(args);
      return http.deadline(...args);
    };
    const endsBy = Date.now() + 60_000;
    await sendOver("messenger", { content, endsBy }, { http: { ...http, deadline } });
    expect(deadlines).toEqual([[kind, endsBy]]);
  });

  test("a call has ten seconds, 25 if the platform fetches a file, 75 if it takes a video, and never more than its request", () => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    try {
      const { deadline } = platformHttp({ clock: () => 1_000 });
      deadline();
      deadline("call", 12_000);
      deadline("fetch");
      deadline("fetch", 24_500);
      deadline("video");
      deadline("video", 24_500);
      deadline("call", 500);
      expect(timeout.mock.calls).toEqual([[10_000], [10_000], [25_000], [23_500], [75_000], [23_500], [0]]);
    } finally {
      timeout.mockRestore();
    }
  });

  test("the token is in no URL", async () => {
    platform.respondWith(ok);
    await sendOver("messenger");
    expect(platform.calls[0]?.url).not.toContain(TOKEN);
  });

  test("a connection is reused, and closed after a pause of more than 4 seconds", async () => {
    const ports: (number | undefined)[] = [];
    platform.respondWith((request, response) => {
      ports.push(request.socket.remotePort);
      ok(request, response);
    });
    let now = 1_793_000_000_000;
    setRuntimeOverrides({ now: () => now });
    try {
      const http = platformHttp();
      for (const pause of [0, 4_000, 4_001]) {
        now += pause;
        expect(await sendOver("messenger", {}, { http })).toMatchObject({ kind: "accepted" });
        // The connection is free again once the loop has turned.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      setRuntimeOverrides({});
    }
    expect(ports[1]).toBe(ports[0]);
    expect(ports[2]).not.toBe(ports[1]);
  });
});

/** The clock passes `leavesBy` after its first reading, as in a process that is frozen while it connects. */
async function sendFrozen(http: PlatformHttp) {
  const leavesBy = 1_793_000_000_000;
  let readings = 0;
  setRuntimeOverrides({ now: () => leavesBy + readings++ });
  try {
    return await sendOver("messenger", { leavesBy }, { http });
  } finally {
    setRuntimeOverrides({});
  }
}

test("a message that is late does not leave on a new connection", async () => {
  platform.respondWith(ok);
  expect(await sendFrozen(platformHttp())).toEqual({ kind: "late" });
  expect(platform.calls).toEqual([]);
});

test("a message that is late does not leave on an open connection", async () => {
  platform.respondWith(ok);
  const http = platformHttp();
  const leavesBy = 1_793_000_000_000;
  setRuntimeOverrides({ now: () => leavesBy });
  expect(await sendOver("messenger", { leavesBy }, { http })).toMatchObject({ kind: "accepted" });
  await new Promise((resolve) => setImmediate(resolve));
  platform.respondWith(ok);
  expect(await sendFrozen(http)).toEqual({ kind: "late" });
  expect(platform.calls).toEqual([]);
});

test("a message that is late does not leave once its invocation has answered", async () => {
  platform.respondWith(ok);
  const calls = openCallScope();
  const outcome = calls.run(() => sendOver("messenger"));
  calls.end();
  expect(await outcome).toEqual({ kind: "late" });
  expect(platform.calls).toEqual([]);
});

describe("an unknown outcome", () => {
  test.each([
    ["a 500 with an error", jsonResponse(500, { error: { code: 190, message: "Internal" } })],
    ["a 503 without JSON", jsonResponse(503, "<html>down</html>")],
    ["a 200 without JSON", jsonResponse(200, "<html>ok</html>")],
    ["a 200 without an id", jsonResponse(200, { recipient_id: "1" })],
    ["a 200 with an empty id", jsonResponse(200, { message_id: "" })],
    ["a 200 with nothing", jsonResponse(200, "")],
    ["a 400 without JSON", jsonResponse(400, "<html>bad</html>")],
    ["a 400 without an error", jsonResponse(400, { ok: false })],
    ["a 400 with code 1", jsonResponse(400, { error: { code: 1, message: "An unknown error occurred" } })],
    ["a 400 with code 2", jsonResponse(400, { error: { code: 2, error_subcode: 99, message: "Service unavailable" } })],
    ["a 400 with code 1200", jsonResponse(400, { error: { code: 1200, message: "Temporary send message failure" } })],
    [
      "a 400 that is marked as transient",
      jsonResponse(400, { error: { code: 7777, is_transient: true, message: "Try later" } }),
    ],
    ["an answer of over 1 MB", jsonResponse(200, { message_id: "m_1", padding: "x".repeat(1024 * 1024) })],
    ["an answer of 10 MB", jsonResponse(200, { message_id: "m_1", padding: "x".repeat(10 * 1024 * 1024) })],
  ])("the outcome of a send is unknown after %s", async (_name, answer) => {
    platform.respondWith(answer);
    expect(await sendOver("messenger")).toEqual(unknownOutcome);
    expect(platform.calls).toHaveLength(1);
  });

  test("a response of just under 1 MiB is read", async () => {
    platform.respondWith(jsonResponse(200, { message_id: "m_1", padding: "x".repeat(1024 * 1024 - 100) }));
    expect(await sendOver("messenger")).toEqual({ kind: "accepted", messageId: "m_1" });
  });

  test("a response timeout, and the message is not sent again", async () => {
    platform.respondWith(() => {});
    expect(await sendOver("messenger", {}, { http: platformHttp({ total: 150 }) })).toEqual(unknownOutcome);
    expect(platform.calls).toHaveLength(1);
  });

  test("a response that starts in time and does not end", async () => {
    platform.respondWith((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"message_id":"m_1"');
    });
    expect(await sendOver("messenger", {}, { http: platformHttp({ total: 150 }) })).toEqual(unknownOutcome);
  });

  test("a truncated response", async () => {
    platform.respondWith((request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"message_id":"m_1"}', () => request.socket.destroy());
    });
    expect(await sendOver("messenger")).toEqual(unknownOutcome);
  });

  test.each(["resetAndDestroy", "destroy"] as const)("a connection lost after the request (%s)", async (how) => {
    platform.respondWith((request) => request.socket[how]());
    expect(await sendOver("messenger")).toEqual(unknownOutcome);
    expect(platform.calls).toHaveLength(1);
  });

  test("a redirect, which is not followed", async () => {
    platform.respondWith(jsonResponse(307, "", { location: `${platform.origin}/elsewhere` }));
    expect(await sendOver("messenger")).toEqual(unknownOutcome);
    expect(platform.calls.map((call) => call.url)).toEqual(["/facebook/v26.0/me/messages"]);
  });
});

describe("a send that did not happen", () => {
  const unreachable = {
    kind: "refused",
    class: "other",
    detail: "The platform could not be reached.",
    code: null,
    subcode: null,
    accountStatus: null,
    coolDownMs: null,
    humanAgentPauseMs: null,
    humanAgentRefused: false,
    transient: true,
  };

  test("the connection is refused", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await sendOver("messenger", {}, { origin: `http://127.0.0.1:${port}` })).toEqual(unreachable);
  });

  test("the host name does not resolve", async () => {
    // A label of more than 63 characters is refused without a DNS query.
    expect(await sendOver("messenger", {}, { origin: `http://${"a".repeat(64)}.invalid` })).toEqual(unreachable);
  });

  test("the token is not a valid header value", async () => {
    platform.respondWith(jsonResponse(200, { message_id: "m_1" }));
    expect(await sendOver("messenger", {}, { token: "a\r\nx: y" })).toEqual(unreachable);
    expect(platform.calls).toHaveLength(0);
  });
});
