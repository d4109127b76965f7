import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { eventTypes } from "#base/events/events.ts";
import { pongFrame } from "#features/realtime/events.ts";
import { frameChecker } from "./check-frame.ts";
import { dereference, readServedDocument } from "./document.ts";
import { observeFrame } from "./observed.ts";
import { takeProblems } from "./problems.ts";
import { withUndeclaredFields } from "./undeclared-fields.ts";

const document = readServedDocument();
const check = frameChecker(document);

const exampleOf = (type: string): object => {
  const { requestBody } = document.webhooks[type]?.post ?? expect.unreachable(type);
  const media = dereference(document, requestBody)?.content["application/json"] as { readonly example?: object };
  return media.example ?? expect.unreachable(type);
};

it.each(eventTypes)("an event %s is a frame of the server, and permits no other field", (type) => {
  const example = exampleOf(type);
  expect(check("server", JSON.stringify(example))).toEqual([]);
  for (const { place, value } of withUndeclaredFields(example))
    expect(check("server", JSON.stringify(value)), place).not.toEqual([]);
});

describe("the check reports", () => {
  const conversation = (fields: object) =>
    JSON.stringify({ ...exampleOf("test.event"), type: "conversation.updated", data: { conversation: fields } });

  it.each([
    ["a type that is not declared", '{"type":"conversation.moved"}', "no frame of the server has this type"],
    ["a frame of the other side", '{"type":"ping"}', "no frame of the server has this type"],
    ["a text that is not JSON", '{"type":"pong"', "the frame is no JSON object with a type"],
    ["a value without a type", "[]", "the frame is no JSON object with a type"],
    ["a field that is not declared", '{"type":"pong","at":1}', "has the undeclared field at"],
    ["a missing field", '{"type":"hello"}', "must have required property 'connection_id'"],
    [
      "a wrong field",
      '{"type":"hello","connection_id":"c","server_time":"1","expires_at":1}',
      "/server_time must be integer",
    ],
    [
      "an erased conversation that says more",
      conversation({ id: "c", erased: true, last_message_text: "a" }),
      "/data/conversation has the undeclared field last_message_text",
    ],
    [
      "an erased conversation that does not say so",
      conversation({ id: "c", erased: false }),
      "/data/conversation/erased is false, which is not declared",
    ],
  ])("the check of a frame reports %s", (_, text, problem) => {
    expect(check("server", text)).toContain(problem);
  });

  it("a failure of the gateway with another field, and one that the server sends", () => {
    const failure = { message: "Internal server error", connectionId: "c", requestId: "r" };
    expect(check("gateway", JSON.stringify(failure))).toEqual([]);
    expect(check("gateway", JSON.stringify({ ...failure, at: 1 }))).toEqual(["has the undeclared field at"]);
    expect(check("server", JSON.stringify(failure))).toEqual(["the frame is no JSON object with a type"]);
    expect(check("gateway", pongFrame())).toEqual(["no frame of the gateway has this type"]);
  });

  it("a frame of a client that is not declared", () => {
    expect(check("client", '{"type":"ping"}')).toEqual([]);
    expect(check("client", pongFrame())).toEqual(["no frame of the client has this type"]);
  });
});

it("a test that meets a frame that is not declared fails", () => {
  observeFrame("server", pongFrame());
  expect(takeProblems()).toEqual([]);
  observeFrame("server", '{"type":"pong","at":1}');
  expect(takeProblems()).toEqual(['frame {"type":"pong","at":1}: has the undeclared field at']);
});

it("each gateway that a test replaces has its frames observed", () => {
  const tests = fileURLToPath(new URL("../../", import.meta.url));
  const replacesGateway = /\bpost(: async )?\(_?connectionId\b[^)]*, _?text\b[^)]*\) (\{|=>)/;
  const unobserved = globSync("**/*.ts", { cwd: tests }).filter((file) => {
    const source = readFileSync(join(tests, file), "utf8");
    return replacesGateway.test(source) && !source.includes('observeFrame("server", text)');
  });
  // They post to that of the stream fixture.
  expect(unobserved.sort()).toEqual([
    "features/realtime/flows/activity.test.ts",
    "features/realtime/flows/push/support/live-stream.ts",
  ]);
});
