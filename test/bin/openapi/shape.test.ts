import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, it } from "vitest";
import { unreadableSchemas } from "../../../bin/openapi/shape/readable.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
const document: any = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"));
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: "https://example.com/openapi.json" }, "document");
const validator = (name: string) =>
  ajv.compile({ $ref: `https://example.com/openapi.json#/components/schemas/${name}` });

it("generators of clients can read each schema of the document", () => {
  expect(unreadableSchemas(document)).toEqual([]);
});

it.each([
  ["a list without items", { type: "array" }, "#/x: a list needs items."],
  [
    "a choice between parts",
    { type: "object", oneOf: [{ required: ["a"] }, { type: "string" }] },
    "#/x/oneOf/0: a part of a choice needs a type or a reference.",
  ],
  [
    "a choice beside fields",
    { type: "object", properties: { a: {} }, anyOf: [{ type: "object" }] },
    "#/x: a schema with fields or items cannot be a choice by anyOf as well.",
  ],
  ["several types", { type: ["string", "number"] }, "#/x: several types need a choice by anyOf."],
  [
    "a choice within one type",
    { type: "string", anyOf: [{ type: "string", maxLength: 1 }] },
    "#/x: a choice within one type needs if and else.",
  ],
  [
    "a choice between texts",
    { anyOf: [{ type: "string", format: "date" }, { type: "string" }] },
    "#/x: a choice between texts needs if and else.",
  ],
  ["an integer among the numbers", { type: "number", const: 1 }, "#/x: an integer needs the type integer."],
  [
    "a field that is always null",
    { type: "object", properties: { a: { type: "null" } } },
    "#/x/properties/a: a field that is always null needs another type.",
  ],
])("the document is refused with %s", (_, schema, problem) => {
  expect(unreadableSchemas({ x: schema })).toContain(problem);
});

it("the document is refused with a parameter that has the name of a schema", () => {
  const components = { schemas: { Tenant: { type: "object" } }, parameters: { Tenant: {}, Limit: {} } };
  expect(unreadableSchemas({ components })).toEqual(["#/components/parameters/Tenant: a schema has the same name."]);
});

it("the document has no page and no text of the documentation, but what programs and platforms call", () => {
  const pagePaths = ["/docs", "/docs/{page}", "/docs.md", "/llms.txt", "/llms-full.txt"];
  expect(pagePaths.filter((path) => path in document.paths)).toEqual([]);
  const { paths: pages } = JSON.parse(
    readFileSync(new URL("../../support/conformance/pages.json", import.meta.url), "utf8"),
  );
  expect(Object.keys(pages)).toEqual(expect.arrayContaining(pagePaths));
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(["/openapi.json", "/webhooks/{platform}"]));
});

it("a condition of the document accepts what the choice that it replaces accepts", () => {
  const isReplay = validator("ReplayDeliveriesRequest");
  const times = ["2026-11-01T00:00:00Z", "2026-11-01", "1793491200000", 1_793_491_200_000];
  expect(times.filter((from) => !isReplay({ from }))).toEqual([]);
  expect(["yesterday", "", -1, true].filter((from) => isReplay({ from }))).toEqual([]);
  const isUpload = validator("CreateUploadRequest");
  const upload = { conversation_id: "CONV#1", content_type: "application/pdf", size: 1 };
  const names = ["a.pdf", `${"a".repeat(251)}.pdf`, "\u00e4.pdf", `${"\u00e4".repeat(59)}.pdf`];
  expect(names.filter((filename) => !isUpload({ ...upload, filename }))).toEqual([]);
  const refused = [`${"a".repeat(252)}.pdf`, `${"\u00e4".repeat(60)}.pdf`, "a/b.pdf", ""];
  expect(refused.filter((filename) => isUpload({ ...upload, filename }))).toEqual([]);
});

it("a field that must be absent is a condition, because a generated client would send it as null", () => {
  const isReply = validator("SendReplyRequest");
  expect(isReply({ conversation_id: "CONV#1", text: "Hello" })).toBe(true);
  expect(isReply({ conversation_id: "CONV#1", text: "Hello", actor_id: "anna" })).toBe(false);
  expect(Object.keys(document.components.schemas.TextReply.properties)).not.toContain("actor_id");
});

it("a field that is always null accepts no text", () => {
  const { example } = document.webhooks["message.failed"].post.requestBody.content["application/json"];
  const isFailed = validator("FailedMessage");
  expect([null, "mid_1"].map((id) => isFailed({ ...example.data.message, id }))).toEqual([true, false]);
});

it("a field with the name of a keyword is no schema", () => {
  const schema = { type: "object", properties: { type: { const: "array" }, oneOf: { type: "string" } } };
  expect(unreadableSchemas({ x: schema })).toEqual([]);
});

it("the bodies of the sends are whole objects, of which a request is exactly one", () => {
  const image = { type: "image", url: "https://example.com/a.png" };
  const video = { type: "video", attachment_id: "1234" };
  const send = (fields: object) => ({ conversation_id: "CONV#1", ...fields });
  const accepted = [
    send({ text: "Hello" }),
    send({ text: "Hello", attachments: null, reply_to: null }),
    send({ attachments: [image, { type: "image", attachment_id: "1" }] }),
    send({ attachments: [video], text: null }),
    send({ attachments: [{ ...image, attachment_id: null }] }),
  ];
  const refused = [
    send({}),
    send({ text: null }),
    send({ text: "Hello", attachments: [image] }),
    send({ attachments: [] }),
    send({ attachments: [image, video] }),
    send({ attachments: [{ ...image, attachment_id: "1" }] }),
    send({ attachments: [{ type: "image" }] }),
    { text: "Hello" },
  ];
  const isValid = validator("SendReplyRequest");
  expect(accepted.map((body) => [body, isValid(body)])).toEqual(accepted.map((body) => [body, true]));
  expect(refused.map((body) => [body, isValid(body)])).toEqual(refused.map((body) => [body, false]));
  expect(document.components.schemas.SendReplyRequest.oneOf).toEqual([
    { $ref: "#/components/schemas/TextReply" },
    { $ref: "#/components/schemas/AttachmentsReply" },
  ]);
});

it("the choice of all events distinguishes each by its type", () => {
  const { discriminator, oneOf } = document.components.schemas.Event;
  expect(Object.keys(discriminator.mapping)).toEqual(Object.keys(document.webhooks));
  expect(oneOf.map(({ $ref }: { $ref: string }) => $ref)).toEqual(Object.values(discriminator.mapping));
  const isEvent = validator("Event");
  const webhooks = Object.values<{ post: { requestBody: { content: Record<string, { example: unknown }> } } }>(
    document.webhooks,
  );
  const examples = webhooks.map(({ post }) => post.requestBody.content["application/json"]?.example);
  expect(examples.map((example) => isEvent(example))).toEqual(examples.map(() => true));
  expect(isEvent({ ...(examples[0] as object), type: "message.unknown" })).toBe(false);
});

it("the document has no page, no script and no style sheet", () => {
  const paths = Object.keys(document.paths);
  expect(paths).not.toContain("/docs");
  expect(paths.filter((path) => /\.(js|css)$/.test(path))).toEqual([]);
  // What a person's browser opens and what also answers programs is in it.
  expect(paths).toEqual(
    expect.arrayContaining(["/console/auth/verify", "/oauth/instagram/start", "/webhooks/{platform}"]),
  );
});

it("an error of several operations is one component, with all its fields in one schema", () => {
  const operations = Object.values<object>(document.paths).flatMap((item) => Object.values(item));
  const failures = operations.flatMap(({ responses }) =>
    Object.entries<object>(responses).filter(([status]) => status >= "4"),
  );
  const inline = failures.filter(([, response]) => !("$ref" in response));
  // Those of the logins and of the sign-in link also set a cookie or may be a page.
  expect(inline.length).toBeLessThan(20);
  const names = Object.keys(document.components.schemas).filter((name) => name.endsWith("Failure"));
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    const { error } = document.components.schemas[name].properties;
    expect(Object.keys(error.properties), name).toEqual(expect.arrayContaining(["code", "message", "detail"]));
  }
});
