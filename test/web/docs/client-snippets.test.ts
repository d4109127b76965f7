import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type Json, listOperations } from "../../../web/docs/reference/document.ts";
import { readServedDocument } from "../../support/conformance/document.ts";
import { clientRequests, pythonRequests } from "./support/recorded-requests.ts";
import { renderedSnippets, type Snippet } from "./support/rendered-snippets.ts";
import { requestProblems, variables } from "./support/request-problems.ts";
import { typeErrors } from "./support/type-errors.ts";

const { client, python } = renderedSnippets();
const operations = listOperations(readServedDocument() as unknown as Json);
const ofReference = (snippets: readonly Snippet[]) => snippets.filter(({ operation }) => operation !== null);
const folder = mkdtempSync(join(tmpdir(), "docs-snippets-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("each operation of the API has one call of the client, and one with Python", () => {
  const expected = operations.filter(({ path }) => path.startsWith("/v1/")).map(({ id }) => id);
  expect(expected.length).toBeGreaterThan(30);
  const called = ofReference(client).map(({ operation }) => operation);
  expect(called).toEqual(expect.arrayContaining(expected));
  expect(new Set(called).size).toBe(called.length);
  const withKey = operations.filter(({ path, declaration }) => {
    const security = declaration.security as readonly Json[] | undefined;
    return path.startsWith("/v1/") && security?.some((one) => "apiKey" in one);
  });
  expect(
    ofReference(python)
      .map(({ operation }) => operation)
      .sort(),
  ).toEqual(withKey.map(({ id }) => id).sort());
});

it("a call of the client is its own method, and request for what has none", () => {
  const byRequest = client.filter(({ code }) => code.includes("parley.request(")).map(({ operation }) => operation);
  expect(client.find(({ operation }) => operation === "sendReply")?.code).toContain("parley.messages.reply({");
  expect(byRequest.length).toBeLessThan(client.length / 4);
});

it("each call of the client compiles in a strict project", () => {
  const wrong = client.find(({ operation }) => operation === "sendReply")?.code.replace("text:", "txt:") ?? "";
  const errors = typeErrors([...client.map(({ code }) => code), wrong]);
  expect(client.flatMap(({ operation }, i) => errors[i]?.map((text) => `${operation}: ${text}`))).toEqual([]);
  expect(errors.at(-1)).toHaveLength(1);
});

it("each call of the client with an API key sends the request that the document describes", async () => {
  const withKey = ofReference(client).filter(({ code }) => code.includes("process.env.KEY"));
  const requests = await clientRequests(
    withKey.map(({ code }) => code),
    folder,
    variables.KEY,
  );
  expect(requests).toHaveLength(withKey.length);
  const problems = withKey.flatMap(({ operation }, i) =>
    requestProblems(requests[i] as (typeof requests)[number], operation).map((text) => `${operation}: ${text}`),
  );
  expect(problems).toEqual([]);
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

it.skipIf(!hasPython)("each program with Python sends the request that the document describes", () => {
  const snippets = ofReference(python);
  expect(snippets.length).toBeGreaterThan(25);
  const requests = pythonRequests(
    snippets.map(({ code }) => code),
    variables,
  );
  expect(requests).toHaveLength(snippets.length);
  const problems = snippets.flatMap(({ operation }, i) =>
    requestProblems(requests[i] as (typeof requests)[number], operation).map((text) => `${operation}: ${text}`),
  );
  expect(problems).toEqual([]);
});
