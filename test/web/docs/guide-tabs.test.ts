import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CodeBlock, codeBlocks } from "../../docs/code-blocks.ts";
import { readPublishedDocument, type Schema } from "../../support/conformance/document.ts";
import { operationFinder } from "../../support/conformance/operations.ts";
import { type CurlRequest, curlRequests } from "./support/curl-arguments.ts";
import { pythonRequests } from "./support/recorded-requests.ts";
import { BASE_URL, project } from "./support/rendered-snippets.ts";
import { requestProblems, variables } from "./support/request-problems.ts";
import { typeErrors } from "./support/type-errors.ts";

// The same request in several languages, as the guides show it. No program of a guide runs these blocks.

interface Tabs {
  readonly page: string;
  /** By language: `sh`, `ts`, `py`. */
  readonly codes: Readonly<Partial<Record<string, string>>>;
}

/** What a reader sets before. */
const environment = { ...variables, BASE: BASE_URL, ID: "01M7ZAN532HYHTNCQTN6VSW2G3" };
/** What each block of the client goes on from. */
const CLIENT = `import { Parley } from "@parley/client";
const parley = new Parley({ baseUrl: process.env.BASE ?? "", apiKey: process.env.KEY ?? "" });
`;

const pages = readdirSync(join(project, "docs", "guides")).filter((name) => name.endsWith(".md"));
const groups = pages.flatMap((page) => tabsOf(`docs/guides/${page}`));
const named = groups.map((group) => ({ ...group, title: `${group.page}: ${group.codes.sh?.split("\n")[0]}` }));

/** Neighboring blocks marked `tab` belong together. The first one is of curl. */
function tabsOf(page: string): Tabs[] {
  const found: { page: string; codes: Record<string, string> }[] = [];
  for (const { language, marks, code } of codeBlocks(page) as readonly CodeBlock[]) {
    if (!marks.includes("tab")) continue;
    if (language === "sh") found.push({ page, codes: {} });
    Object.assign(found.at(-1)?.codes ?? expect.unreachable(page), { [language]: code });
  }
  return found;
}

const requests = curlRequests(
  groups.map(({ codes }) => codes.sh ?? ""),
  environment,
).map((request) => ({ ...request, others: request.others.filter((other) => !/^-o$|\.json$/.test(other)) }));

it("the guides have tabs, each of curl, of the client and of Python", () => {
  expect(groups.length).toBeGreaterThan(10);
  const text = pages.map((page) => readFileSync(join(project, "docs", "guides", page), "utf8")).join("\n");
  expect(text.match(/^ *```\w+ tab$/gm)).toHaveLength(groups.flatMap(({ codes }) => Object.keys(codes)).length);
  expect(named.filter(({ codes }) => Object.keys(codes).join() !== "sh,ts,py")).toEqual([]);
});

describe.each(named.map((group, i) => ({ ...group, request: requests[i] as CurlRequest })))("$title", ({ request }) => {
  it("the request with curl is as the document says", () => {
    expect(request.others).toEqual([]);
    expect(requestProblems(request, null)).toEqual([]);
  });
});

it("the blocks of the client compile in a strict project, those of a guide one after the other", () => {
  const guides = [...new Set(groups.map(({ page }) => page))];
  const codesOf = (guide: string) => groups.flatMap(({ page, codes }) => (page === guide ? [codes.ts ?? ""] : []));
  const modules = guides.map((guide) => CLIENT + codesOf(guide).join("\n"));
  const errors = typeErrors([...modules, `${CLIENT}await parley.keys.create({ name: "x" });`]);
  expect(guides.flatMap((guide, i) => errors[i]?.map((text) => `${guide}: ${text}`))).toEqual([]);
  expect(errors.at(-1)).toHaveLength(1);
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

it.skipIf(!hasPython)("each program with Python sends the request of its tab with curl, and reads the response", () => {
  const sent = pythonRequests(
    groups.map(({ codes }) => codes.py ?? ""),
    environment,
    requests.map(exampleAnswer),
  );
  expect(sent.map(comparable)).toEqual(requests.map(comparable));
});

function comparable({ method, url, headers, body }: CurlRequest) {
  return { method, url: new URL(url).href, headers: Object.fromEntries(headers), body: body && JSON.parse(body) };
}

const document = readPublishedDocument();
const find = operationFinder(document);

/** The example of the document for the response to a request. */
function exampleAnswer({ method, url }: CurlRequest): unknown {
  const route = find(method, new URL(url).pathname);
  if (route.found !== "operation") return undefined;
  const responses: Schema = (route.operation as Schema).responses;
  const [, success] = Object.entries<Schema>(responses).find(([status]) => status.startsWith("2")) ?? [];
  const [example] = Object.values<Schema>(success?.content?.["application/json"]?.examples ?? {});
  return example?.value;
}
