import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json } from "#http/openapi/schemas.ts";
import { compareDocuments } from "../../../bin/openapi/guard/documents.ts";
import { withoutProse } from "../../../bin/openapi/guard/released-document.ts";
import { completeDocument, publishedDocument } from "../../../bin/openapi/published-document.ts";
import { sampled } from "../../support/sampling.ts";
import { additions, dereference, removals } from "./support/mutations.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
type Document = any;
const document: Document = publishedDocument();

/** One operation of each kind: a list, a body with alternatives, a write with limits, errors with fields, raw bodies. */
const samples = [
  ["get", "/v1/conversations"],
  ["post", "/v1/messages/human-agent"],
  ["post", "/v1/attachments/uploads"],
  ["post", "/verify/holds/{hold_id}"],
  ["get", "/console/auth/verify"],
  ["post", "/webhooks/{platform}"],
] as const;

/**
 * What a schema has both itself and in its alternatives, such as `text` and `attachments` of a message, or both in what
 * all failures share and in the failure, such as `error.code`: one of the two may go. The tests of the whole document
 * remove both.
 */
const declaredTwice = new RegExp(
  [
    "allOf/0/.*/code$",
    "allOf/(0/required/1|0/properties/error/required/0|1/(properties/error/)?required/0)$",
    "(schema|items)/(oneOf/\\d/)?properties/(text|attachments|url|attachment_id)$",
    "(anyOf/\\d|if)/items/properties/type$",
  ].join("|"),
);

/** A document of one operation. */
const documentOf = (operation: Json) => ({ paths: { "/x": { get: operation } } });

function compareOne(released: Json, current: Json): string[] {
  return compareDocuments({ released: documentOf(released), current: documentOf(current) });
}

describe.each(sampled(samples, { step: 2 }))("of %s %s", (method, path) => {
  const operation = dereference(document, document.paths[path][method]) as Json;

  it("each single removal is found and named", () => {
    const mutations = [...removals(operation)].filter(({ place }) => !declaredTwice.test(place));
    expect(mutations.length).toBeGreaterThan(20);
    const missed = mutations.filter(
      ({ names, released, current }) => !compareOne(released, current).some((problem) => problem.includes(names)),
    );
    expect(missed.map(({ place, names }) => `${place}: ${names}`)).toEqual([]);
  });

  it("each single addition passes", () => {
    const mutations = [...additions(operation)];
    expect(mutations.length).toBeGreaterThan(10);
    const refused = mutations.map(({ place, released, current }) => [place, compareOne(released, current)] as const);
    expect(refused.filter(([, problems]) => problems.length > 0)).toEqual([]);
  });
});

describe("of the whole document", () => {
  const problemsAfter = (change: (changed: Document) => void) => {
    const current = structuredClone(document);
    change(current);
    return compareDocuments({ released: document, current });
  };

  it.each<[string, (changed: Document) => void, string]>([
    ["a path", ({ paths }) => delete paths["/v1/ping"], "GET /v1/ping: was removed."],
    ["a method", ({ paths }) => delete paths["/v1/keys"].post, "POST /v1/keys: was removed."],
    [
      "an operationId",
      ({ paths }) => {
        paths["/v1/keys"].post.operationId = "newKey";
      },
      "POST /v1/keys: the operationId was createKey.",
    ],
    ["a credential", ({ paths }) => paths["/v1/keys"].get.security.shift(), "GET /v1/keys: no longer accepts apiKey."],
    [
      "the access without a credential",
      ({ paths }) => paths["/v1/ping"].get.security.push({ apiKey: [] }),
      "GET /v1/ping: needs a credential.",
    ],
    [
      "a scope of keys",
      ({ paths }) => paths["/v1/keys"].get["x-key-scopes"].pop(),
      "GET /v1/keys: refuses a key of scope test.",
    ],
    [
      "a role",
      ({ paths }) => {
        paths["/v1/accounts"].get["x-role"] = "owner";
      },
      "GET /v1/accounts: needs the role owner.",
    ],
    ["an event", ({ webhooks }) => delete webhooks["test.event"], "event test.event: was removed."],
    [
      "a field of an event",
      ({ components }) => delete components.schemas.EventMessage.properties.text,
      "event message.received: body.data.message.text: was removed.",
    ],
    [
      "a header of a delivery",
      ({ webhooks }) => webhooks["message.sent"].post.parameters.shift(),
      "event message.sent: the header parameter svc-signature was removed.",
    ],
    ["a frame", (changed) => changed["x-realtime"].server.frames.pop(), "frame presence.updated: was removed."],
    [
      "the frame of the gateway's failures",
      (changed) => delete changed["x-realtime"].server.failure,
      "frame gateway-failure: was removed.",
    ],
    [
      "a field of a frame",
      ({ components }) => delete components.schemas.HelloFrame.properties.connection_id,
      "frame hello.connection_id: was removed.",
    ],
    [
      "the type of a field",
      ({ components }) => delete components.schemas.HelloFrame.properties.connection_id.type,
      "frame hello.connection_id: may now be any value.",
    ],
    [
      "what a list contains",
      ({ components }) => delete components.schemas.DeliveryDetail.properties.attempts.items,
      "GET /v1/webhooks/{id}/deliveries/{deliveryId}: 200.data.delivery.attempts[]: may now be any value.",
    ],
    [
      "the freedom of the values of a list",
      ({ components }) => {
        const { properties } = components.schemas.CreateWebhookRequest;
        properties.events.items = { ...properties.events.items, type: "string", enum: ["message.received"] };
      },
      'POST /v1/webhooks: body.events[]: no longer accepts "message.sent".',
    ],
    [
      "the status of an unknown method",
      (changed) => delete changed["x-unrouted"].responses[405],
      "A request without a route: the status 405 was removed.",
    ],
    [
      "a field of a request with alternatives",
      ({ components }) => {
        delete components.schemas.LinkedFile.properties.url;
      },
      "POST /v1/messages/reply: body.attachments[].url: was removed.",
    ],
    [
      "the promise of a code",
      ({ components }) => {
        components.schemas.UnauthorizedFailure.properties.error.required.shift();
      },
      "GET /v1/accounts: 401.error.code: may now be absent.",
    ],
    [
      "a code of a shared failure",
      ({ components }) => {
        components.schemas.UnauthorizedFailure.properties.error.properties.code.enum = ["unauthenticated"];
      },
      'GET /v1/accounts: 401.error.code: no longer has the value "unauthorized".',
    ],
    [
      "the default of a parameter",
      ({ components }) => {
        components.parameters.Limit.schema.default = 20;
      },
      "GET /v1/audit: query parameter limit: the default was 50.",
    ],
    ["a server", ({ servers }) => servers.shift(), "The server /: was removed."],
    [
      "a way to authenticate",
      ({ components }) => delete components.securitySchemes.session,
      "The credential session: was removed.",
    ],
    [
      "the header of a credential",
      ({ components }) => {
        components.securitySchemes.csrfToken.name = "x-other";
      },
      "The credential csrfToken: name was x-csrf-token.",
    ],
    [
      "an answer of endpoints",
      ({ webhooks }) => delete webhooks["test.event"].post.responses["2XX"],
      "event test.event: no longer accepts the answer 2XX.",
    ],
    [
      "the promise of a body",
      ({ webhooks }) => delete webhooks["test.event"].post.requestBody.required,
      "event test.event: the body may now be absent.",
    ],
  ])("the removal of %s is named", (_, change, problem) => {
    expect(problemsAfter(change)).toContain(problem);
  });

  it("a default where none was passes", () => {
    const problems = problemsAfter(({ components }) => {
      components.parameters.Cursor.schema.default = "";
    });
    expect(problems).toEqual([]);
  });

  it("a new path, method, event and frame pass", () => {
    const problems = problemsAfter(({ paths, webhooks, ...changed }) => {
      paths["/v1/new"] = paths["/v1/ping"];
      paths["/v1/ping"].post = paths["/v1/ping"].get;
      webhooks["new.event"] = webhooks["test.event"];
      changed["x-realtime"].server.frames.push({ name: "new", schema: {} });
    });
    expect(problems).toEqual([]);
  });

  it("the texts and examples do not count, but fields of such names do", () => {
    const released = withoutProse(document) as Document;
    expect(compareDocuments({ released, current: document })).toEqual([]);
    expect(JSON.stringify(document)).toContain("Sends a text, up to 10 images");
    expect(JSON.stringify(released)).not.toContain("Sends a text, up to 10 images");
    const { properties } = released.components.schemas.ListEventTypesData.properties.event_types.items;
    expect(Object.keys(properties)).toEqual(["type", "description", "default", "schema", "example"]);
  });
});

it("the API still has everything of its last release", () => {
  const released = JSON.parse(readFileSync(new URL("../../../docs/released/openapi.json", import.meta.url), "utf8"));
  const current = completeDocument();
  expect(compareDocuments({ released, current })).toEqual([]);
});
