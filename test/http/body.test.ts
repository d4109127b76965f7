import fc from "fast-check";
import { expect, it } from "vitest";
import { REQUEST_BODY_BYTES_MAX } from "#base/kernel/limits.ts";
import { createTestApp, readVerdict, tenantAuth } from "./support/sample-routes.ts";

const { app } = createTestApp();
const post = (
  body: string | Uint8Array<ArrayBuffer> | null,
  headers: Record<string, string> = {},
  path = "/v1/things",
) => app.request(path, { method: "POST", headers: { ...tenantAuth, ...headers }, body });

it.each(["application/json", "text/plain", "application/x-www-form-urlencoded", "nonsense"])(
  "a JSON body is accepted with the content type %s",
  async (type) => {
    expect((await readVerdict(post('{"text":"hi"}', { "content-type": type })))[0]).toBe(201);
  },
);

it("a JSON body is accepted without a content type", async () => {
  const bytes = new TextEncoder().encode('{"text":"hi"}');
  expect((await readVerdict(post(bytes)))[0]).toBe(201);
});

it("a JSON body passes declared fields to the route and ignores others", async () => {
  const response = await post('{"text":"hi","other":{"deep":[1]},"constructor":1,"toString":2}');
  expect(await response.json()).toEqual({ ok: true, data: { made: ["text"], text: "hi" } });
});

it("a JSON body with a repeated name has the last value, as JSON.parse does", async () => {
  const response = await post('{"text":"first","text":"last"}');
  expect(await response.json()).toMatchObject({ data: { text: "last" } });
});

it.each([
  ["not JSON", "text=hi", "body: must be JSON in UTF-8"],
  ["cut off", '{"text":', "body: must be JSON in UTF-8"],
  ["only spaces", "  ", "body: must be JSON in UTF-8"],
  ["with a byte order mark", '\ufeff{"text":"hi"}', "body: must be JSON in UTF-8"],
  ["missing", null, "body: is required"],
  ["empty", "", "body: is required"],
  ["null", "null", "body: must be an object"],
  ["an array", '[{"text":"hi"}]', "body: must be an object"],
  ["a string", '"hi"', "body: must be an object"],
  ["with a number that overflows", '{"text":"hi","size":1e400}', "body: must not contain numbers that overflow"],
  ["naming __proto__", '{"text":"hi","__proto__":{"admin":true}}', "body: must not contain a field named __proto__"],
  ["with an unpaired surrogate", '{"text":"\\ud83d"}', "body: must not contain unpaired surrogates"],
  ["with an unpaired surrogate in a name", '{"text":"hi","\\udc00":1}', "body: must not contain unpaired surrogates"],
  ["lacking a field", "{}", "text: is required"],
  ["of the wrong type", '{"text":["canary"]}', "text: must be a string"],
  ["too short", '{"text":""}', "text: must not be empty"],
  ["too long", `{"text":"${"x".repeat(21)}"}`, "text: must have at most 20 characters"],
  ["with a fraction", '{"text":"hi","size":1.5}', "size: must be an integer"],
  ["too small", '{"text":"hi","size":0}', "size: must be at least 1"],
  ["with no URL", '{"text":"hi","url":"canary"}', "url: must be a URL"],
  ["of an unknown kind", '{"text":"hi","kind":"canary"}', "kind: must be one of image, video"],
  [
    "wrong in a nested field",
    '{"text":"hi","attachments":[{"type":"a"},{"type":7}]}',
    "attachments.1.type: must be a string",
  ],
  [
    "with too many",
    '{"text":"hi","attachments":[{"type":"a"},{"type":"a"},{"type":"a"}]}',
    "attachments: must have at most 2 items",
  ],
  ["with a field that is not allowed", '{"text":"hi","actor_id":"canary"}', "actor_id: is not allowed here"],
  ["wrong under a name of the caller", '{"text":"hi","labels":{"canary secret":"x"}}', "labels.?: must be a number"],
  ["wrong twice", '{"text":1,"size":"canary"}', "text: must be a string; size: must be a number"],
])("%s is 400 and names the field but not its value", async (_, body, detail) => {
  const verdict = await readVerdict(post(body));
  expect(verdict).toEqual([400, "invalid_request", detail]);
  expect(verdict[2]).not.toContain("canary");
});

it("a JSON body that is invalid names each field in `errors` with its path, and the problems in `message`", async () => {
  const response = await post('{"text":1,"attachments":[{"type":"a"},{"type":7}],"labels":{"canary secret":"x"}}');
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  expect(error).toEqual({
    code: "invalid_request",
    message: "text must be a string. attachments[1].type must be a string. labels.? must be a number.",
    detail: "text: must be a string; attachments.1.type: must be a string; labels.?: must be a number",
    docs_url: "https://parley.example/docs/errors#invalid_request",
    errors: [
      { field: "text", problem: "must be a string" },
      { field: "attachments[1].type", problem: "must be a string" },
      { field: "labels.?", problem: "must be a number" },
    ],
  });
});

it.each([
  ["{'text':1}", "must be JSON in UTF-8; it is invalid at line 1, column 2"],
  ['{\n  "text": "canary",\n}', "must be JSON in UTF-8; it is invalid at line 3, column 1"],
  ['{"text":"canary"', "must be JSON in UTF-8; it ends too early at line 1, column 17"],
])("a body that is broken JSON names the place of its first wrong character: %j", async (body, problem) => {
  const { error } = (await (await post(body)).json()) as { error: { errors: unknown; detail: string } };
  expect([error.errors, error.detail]).toEqual([[{ field: "body", problem }], "body: must be JSON in UTF-8"]);
});

it("a JSON body without a required field says that it is required, and one without a body that this is", async () => {
  expect((await readVerdict(post('{"size":1}')))[2]).toBe("text: is required");
  expect((await readVerdict(post('{"text":"hi","attachments":[{}]}')))[2]).toBe("attachments.0.type: is required");
  expect((await readVerdict(post("")))[2]).toBe("body: is required");
});

it("a JSON body that is not UTF-8 is 400", async () => {
  const bytes = Uint8Array.from([...Buffer.from('{"text":"'), 0xff, 0xfe, ...Buffer.from('"}')]);
  expect((await readVerdict(post(bytes)))[0]).toBe(400);
});

it("a JSON body is accepted with 32 levels and refused with 33 and with 100,000", async () => {
  const nested = (depth: number) => `{"text":"hi","x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  expect((await readVerdict(post(nested(32))))[0]).toBe(201);
  expect(await readVerdict(post(nested(33)))).toEqual([
    400,
    "invalid_request",
    "body: must not be nested deeper than 32 levels",
  ]);
  expect((await readVerdict(post(nested(100_000))))[0]).toBe(400);
});

it("a JSON body never causes a fault", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json(), fc.string({ unit: "binary" })), async (text) => {
      expect((await readVerdict(post(text)))[0]).toBeLessThan(500);
    }),
    { numRuns: 100 },
  );
});

it("a JSON body may be absent where the route allows it, but must not be of another type", async () => {
  expect((await readVerdict(post(null, {}, "/v1/keys")))[0]).toBe(200);
  expect((await readVerdict(post("{}", {}, "/v1/keys")))[0]).toBe(200);
  expect((await readVerdict(post("null", {}, "/v1/keys")))[0]).toBe(400);
  expect((await readVerdict(post("[]", {}, "/v1/keys")))[0]).toBe(400);
});

const sized = (bytes: number) => `{"text":"hi","x":"${"é".repeat((bytes - 20) / 2)}"}`;

it("the size of a body is counted in bytes: 256 KiB is accepted, one byte more is 413", async () => {
  expect(Buffer.byteLength(sized(REQUEST_BODY_BYTES_MAX))).toBe(REQUEST_BODY_BYTES_MAX);
  expect((await readVerdict(post(sized(REQUEST_BODY_BYTES_MAX))))[0]).toBe(201);
  expect((await readVerdict(post(`${sized(REQUEST_BODY_BYTES_MAX)} `))).slice(0, 2)).toEqual([
    413,
    "payload_too_large",
  ]);
});

it("the size of a body is checked before the key is read, and after its form", async () => {
  const large = "x".repeat(REQUEST_BODY_BYTES_MAX + 1);
  expect((await readVerdict(post(large, { authorization: "Bearer wrong" })))[0]).toBe(413);
  expect((await readVerdict(post(large, { authorization: "Bearer ?" })))[0]).toBe(401);
});

it.each([
  ["no credential", {}],
  ["a key in no right form", { authorization: "Bearer ?" }],
  ["a session in no right form", { cookie: "console_session=?" }],
])("the size of a body costs a request with %s nothing: its body is not read", async (_, headers) => {
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (stream) => {
        pulled += 1;
        stream.enqueue(new Uint8Array(1024));
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request("http://gateway/v1/things", { method: "POST", headers, body, duplex: "half" });
  expect((await readVerdict(app.request(request)))[0]).toBe(401);
  expect(pulled).toBe(0);
});

it("the size of a body is checked by the content length, and while reading when there is none", async () => {
  const lengthHeader = { "content-length": String(REQUEST_BODY_BYTES_MAX + 1) };
  expect((await readVerdict(post('{"text":"hi"}', lengthHeader)))[0]).toBe(413);
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (stream) => {
      pulled += 1;
      stream.enqueue(new Uint8Array(64 * 1024));
    },
  });
  const init = { method: "POST", headers: tenantAuth, body: endless, duplex: "half" } as const;
  expect((await readVerdict(app.request(new Request("http://gateway/v1/things", init))))[0]).toBe(413);
  expect(pulled).toBeLessThan(10);
});

it("the size of a body has the limit that the route declares, and the bytes arrive as sent", async () => {
  const bytes = new Uint8Array(300_000).fill(0xff);
  const response = await post(bytes, { "x-signed": "yes" }, "/intake");
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  expect((await readVerdict(post(new Uint8Array(300_001), { "x-signed": "yes" }, "/intake")))[0]).toBe(413);
  expect(await readVerdict(post(bytes, {}, "/intake"))).toEqual([401, "signature_invalid", ""]);
});
