import { expect, it } from "vitest";
import { readPublishedDocument } from "../../support/conformance/document.ts";
import { type CurlRequest, curlRequests } from "./support/curl-arguments.ts";
import { BASE_URL, renderedSnippets } from "./support/rendered-snippets.ts";
import { requestProblems, variables } from "./support/request-problems.ts";

const document = readPublishedDocument();
const { curl } = renderedSnippets();
const requests = curlRequests(
  curl.map(({ code }) => code),
  variables,
);
const shown = curl.map(({ operation, code }, i) => ({
  operation,
  title: operation ?? `of the first page: ${code.split("\n")[0]}`,
  request: requests[i] as CurlRequest,
}));

it("a request with curl is on the page for each operation", () => {
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(shown.flatMap(({ operation }) => operation ?? []).sort()).toEqual(ids.sort());
  expect(shown.filter(({ operation }) => operation === null)).toHaveLength(2);
});

it.each(shown)("a request with curl is as the document says: $title", ({ operation, request }) => {
  expect(request.others).toEqual([]);
  // curl makes several requests of these.
  expect(request.url).not.toMatch(/[[\]{}]/);
  expect(request.body?.startsWith("@") ?? false).toBe(false);
  expect(requestProblems(request, operation)).toEqual([]);
});

it.each([
  ["a path that does not exist", (r: CurlRequest) => ({ ...r, url: `${BASE_URL}/v2/messages/reply` })],
  ["another method", (r: CurlRequest) => ({ ...r, method: "PUT" })],
  ["no key", (r: CurlRequest) => ({ ...r, headers: new Headers({ "content-type": "application/json" }) })],
  [
    "a session without its token",
    (r: CurlRequest) => ({
      ...r,
      headers: new Headers({ "content-type": "application/json", cookie: "console_session=session-1" }),
    }),
  ],
  ["no type of its body", (r: CurlRequest) => ({ ...r, headers: new Headers({ authorization: "Bearer svc_live_1" }) })],
  ["a body with a field of another name", (r: CurlRequest) => ({ ...r, body: '{"conversation": "c", "text": "t"}' })],
  ["an unknown query parameter", (r: CurlRequest) => ({ ...r, url: `${r.url}?dry=1` })],
  ["an unknown header", (r: CurlRequest) => ({ ...r, headers: new Headers([...r.headers, ["x-key", "1"]]) })],
])("a request with curl with %s is noticed", (_, change) => {
  const reply = shown.find(({ operation }) => operation === "sendReply")?.request as CurlRequest;
  expect(requestProblems(reply, "sendReply")).toEqual([]);
  expect(requestProblems(change(reply), "sendReply")).not.toEqual([]);
});
