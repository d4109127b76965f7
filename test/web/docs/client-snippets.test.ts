import { expect, it } from "vitest";
import { type Json, listOperations } from "../../../web/docs/reference/document.ts";
import { readServedDocument } from "../../support/conformance/document.ts";
import { renderedSnippets } from "./support/rendered-snippets.ts";
import { typeErrors } from "./support/type-errors.ts";

const { client } = renderedSnippets();
const operations = listOperations(readServedDocument() as unknown as Json);

it("each operation of the API has one call of the client, which names it", () => {
  const called = client.map(({ operation, code }) => [operation, /request\("([^"]*)"/.exec(code)?.[1]]);
  const expected = operations
    .filter(({ path }) => path.startsWith("/v1/"))
    .map(({ id, method, path }) => [id, `${method} ${path}`]);
  expect(expected.length).toBeGreaterThan(30);
  expect(called).toEqual(expect.arrayContaining(expected));
  expect(new Set(called.map(([id]) => id)).size).toBe(client.length);
});

it("each call of the client compiles in a strict project", () => {
  const wrong = client[0]?.code.replace("GET /", "GET /no") ?? "";
  const errors = typeErrors([...client.map(({ code }) => code), wrong]);
  expect(client.flatMap(({ operation }, i) => errors[i]?.map((text) => `${operation}: ${text}`))).toEqual([]);
  expect(errors.at(-1)).toHaveLength(1);
});
