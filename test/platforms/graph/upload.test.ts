import { createHmac } from "node:crypto";
import { type AddressInfo, createServer } from "node:net";
import { beforeEach, expect, test } from "vitest";
import { openCallScope } from "#base/kernel/call-scope.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { type PlatformHttp, platformHttp } from "#platforms/graph/http.ts";
import { mockPlatform } from "#platforms/graph/mock.ts";
import type { Upload } from "#platforms/graph/platform.ts";
import { platformFor } from "#platforms/platforms.ts";
import { openedOnce } from "../../support/opened.ts";
import { jsonResponse, type Respond, startFakePlatform, TOKEN, upstreamAt } from "./fake-platform.ts";

const url = "https://files.example/h/2026-11-22T20/r/upl_1.png?X-Amz-Expires=300&X-Amz-Signature=abc";
const upload: Upload = {
  url,
  type: "image",
  leavesBy: Number.POSITIVE_INFINITY,
  endsBy: Number.POSITIVE_INFINITY,
};
const account = { platform: "instagram", externalId: "17841440011223344", pageId: "104512347788901" } as const;
const unknownOutcome = { kind: "unknown", detail: "outcome_unknown" };
const accepted = { kind: "accepted", attachmentId: "1857777774821032" };
const ok = jsonResponse(200, { attachment_id: "1857777774821032" });
const platform = openedOnce(startFakePlatform);
beforeEach(() => platform.respondWith(ok));

interface Options {
  readonly http?: PlatformHttp;
  readonly origin?: string;
  readonly secret?: string;
}

function uploadOver(
  connection: Connection,
  changes: Partial<Upload> = {},
  { http = platformHttp(), origin = platform.origin, secret }: Options = {},
) {
  return platformFor(connection, upstreamAt(origin), http, secret).upload(account, TOKEN, { ...upload, ...changes });
}

const proof = { appsecret_proof: createHmac("sha256", "an app secret").update(TOKEN).digest("hex") };

test.each([
  ["instagram_login", `/instagram/v26.0/${account.externalId}/message_attachments`, {}],
  ["instagram_page", `/facebook/v26.0/${account.pageId}/message_attachments`, { platform: "instagram", ...proof }],
  ["messenger", "/facebook/v26.0/me/message_attachments", proof],
] as const)("%s posts the file's URL to %s", async (connection, path, fields) => {
  for (const type of ["image", "video", "audio", "file"] as const) {
    platform.respondWith(ok);
    expect(await uploadOver(connection, { type }, { secret: "an app secret" })).toEqual(accepted);
    expect(platform.calls).toMatchObject([
      { method: "POST", url: path, headers: { authorization: `Bearer ${TOKEN}` } },
    ]);
    expect(platform.calls[0]?.body).toEqual({
      message: { attachment: { type, payload: { url, is_reusable: true } } },
      ...fields,
    });
  }
});

test.each([
  ["video", "video"],
  ["image", "call"],
  ["audio", "call"],
  ["file", "call"],
] as const)("an upload of type %s has the deadline of a %s, within the time of its invocation", async (type, kind) => {
  const http = platformHttp();
  const deadlines: unknown[] = [];
  const deadline: PlatformHttp["deadline"] = (...args) => {
    deadlines.push(args);
    return http.deadline(...args);
  };
  const endsBy = Date.now() + 60_000;
  expect(await uploadOver("messenger", { type, endsBy }, { http: { ...http, deadline } })).toEqual(accepted);
  expect(deadlines).toEqual([[kind, endsBy]]);
});

test.each<[string, string, object]>([
  ["digits in a string", '{"attachment_id":"1857777774821032"}', accepted],
  ["a number", '{"attachment_id":1857777774821032}', accepted],
  [
    "a number beyond 2^53",
    '{"attachment_id":18577777748210321}',
    { kind: "accepted", attachmentId: "18577777748210321" },
  ],
  ["no id", "{}", unknownOutcome],
  ["an empty id", '{"attachment_id":""}', unknownOutcome],
  ["an id that no send accepts", '{"attachment_id":"a b"}', unknownOutcome],
  ["an id of 257 characters", `{"attachment_id":"${"1".repeat(257)}"}`, unknownOutcome],
  ["no JSON", "ok", unknownOutcome],
])("an upload is answered with %s", async (_name, body, outcome) => {
  platform.respondWith(jsonResponse(200, body));
  expect(await uploadOver("messenger")).toEqual(outcome);
});

const refusal = (code: number, subcode?: number, message = "m") =>
  jsonResponse(400, { error: { message, code, ...(subcode === undefined ? {} : { error_subcode: subcode }) } });

test.each<[string, Respond, object]>([
  ["not fetched", refusal(100, 2018008), { kind: "refused", class: "invalid", transient: true }],
  ["a video that took too long", refusal(100, 2018294), { kind: "refused", class: "invalid", transient: true }],
  ["of the wrong type", refusal(100, 2018047), { kind: "refused", class: "invalid", transient: false }],
  ["too large", refusal(100, 2018109), { kind: "refused", class: "invalid", transient: false }],
  ["token", refusal(190, 460), { kind: "refused", class: "token", accountStatus: "needs_reauth" }],
  ["restricted", refusal(368), { kind: "refused", class: "restricted", accountStatus: "restricted" }],
  ["rate", refusal(613), { kind: "refused", class: "rate", coolDownMs: 60_000 }],
  ["a fault of the platform", refusal(2), unknownOutcome],
  ["a 500", jsonResponse(500, "{}"), unknownOutcome],
  ["a lost answer", (request) => request.socket.resetAndDestroy(), unknownOutcome],
])("the outcome of an upload is that of the platform's answer: %s", async (_name, respond, outcome) => {
  platform.respondWith(respond);
  expect(await uploadOver("messenger")).toMatchObject(outcome);
  expect(platform.calls).toHaveLength(1);
});

test("an upload that is not accepted may be repeated if the platform could not be reached", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  expect(await uploadOver("messenger", {}, { origin: `http://127.0.0.1:${port}` })).toMatchObject({
    kind: "refused",
    class: "other",
    transient: true,
  });
});

test("an upload that is not accepted is late when it may not leave any more, and when its invocation has answered", async () => {
  expect(await uploadOver("messenger", { leavesBy: Date.now() - 1 })).toEqual({ kind: "late" });
  const scope = openCallScope();
  const late = scope.run(() => {
    scope.end();
    return uploadOver("messenger");
  });
  expect(await late).toEqual({ kind: "late" });
  expect(platform.calls).toEqual([]);
});

test("an upload that is not accepted has no signed URL and no token in its detail", async () => {
  const escaped = url.replaceAll("/", "\\/");
  platform.respondWith(refusal(100, 2018008, `Failed to fetch ${url} (${escaped}) with ${TOKEN}.`));
  expect(await uploadOver("messenger")).toMatchObject({
    detail: "Failed to fetch [url] ([url] with [token].",
  });
});

test("the mock takes every upload, under an id that no platform has", async () => {
  const mock = mockPlatform(() => "01M7ZAN532DXZZ1TKP6RZ0YEPG", "messenger");
  expect(await mock.upload(account, "", upload)).toEqual({
    kind: "accepted",
    attachmentId: "mock_att_01M7ZAN532DXZZ1TKP6RZ0YEPG",
  });
});
