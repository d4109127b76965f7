import { expect, it } from "vitest";
import { Parley } from "#client";
import { readPage } from "./markdown.ts";

const { clock: _clock, ...client } = new Parley({ baseUrl: "https://parley.example.com", apiKey: "svc_test_k" });
/** The methods of each part of the client, such as those of `parley.messages`. */
const parts = Object.entries(client).flatMap(([name, part]) => {
  const methods = Object.entries(typeof part === "object" && part !== null ? part : {}).filter(
    ([, method]) => typeof method === "function",
  );
  return methods.length === 0 ? [] : [{ name, methods: methods.map(([method]) => method) }];
});

it("the client has parts with methods", () => {
  expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(["conversations", "messages", "webhooks"]));
});

it.each(parts)("the table of the guide names each method of parley.$name", ({ name, methods }) => {
  const row = readPage("docs/guides/client.md")
    .split("\n")
    .find((line) => line.startsWith("| ") && line.includes(`\`parley.${name}\``));
  expect(methods.filter((method) => !row?.includes(`\`${method}\``))).toEqual([]);
});
