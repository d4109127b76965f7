import { expect, it } from "vitest";
import { createRouter } from "#http/router.ts";

const router = createRouter([
  { method: "GET", path: "/v1/things/{id}" },
  { method: "DELETE", path: "/v1/things/{id}", slashInId: true },
  { method: "GET", path: "/v1/things/special" },
  { method: "GET", path: "/v1/things/{id}/parts/{part}" },
]);
const find = (method: string, path: string) => {
  const match = router.find(method, path);
  return match && [match.route.path, match.parameters];
};

it("the router prefers a literal segment to a parameter, regardless of the order of the routes", () => {
  expect(find("GET", "/v1/things/special")).toEqual(["/v1/things/special", {}]);
  expect(find("GET", "/v1/things/other")).toEqual(["/v1/things/{id}", { id: "other" }]);
  expect(find("DELETE", "/v1/things/special")).toEqual(["/v1/things/{id}", { id: "special" }]);
});

it("the router answers HEAD by a GET route and finds nothing for another method", () => {
  expect(find("HEAD", "/v1/things/a")).toEqual(["/v1/things/{id}", { id: "a" }]);
  expect(find("PATCH", "/v1/things/a")).toBeNull();
  expect(router.matching("/v1/things/a").map(({ method }) => method)).toEqual(["GET", "DELETE"]);
});

it("the router takes a slash inside of an id only where the route says so", () => {
  expect(find("DELETE", "/v1/things/a/b/c")).toEqual(["/v1/things/{id}", { id: "a/b/c" }]);
  expect(find("DELETE", "/v1/things//b")).toEqual(["/v1/things/{id}", { id: "/b" }]);
  expect(find("GET", "/v1/things/a/b")).toBeNull();
  for (const method of ["GET", "DELETE"]) expect(find(method, "/v1/things/")).toBeNull();
  expect(find("GET", "/v1/things/a/parts/b")).toEqual(["/v1/things/{id}/parts/{part}", { id: "a", part: "b" }]);
});

it("the router decodes a parameter once and leaves what is not validly encoded", () => {
  expect(find("GET", "/v1/things/a%2Fb%2523")).toEqual(["/v1/things/{id}", { id: "a/b%23" }]);
  expect(find("GET", "/v1/things/%E4%BD%A0-%ff-%zz")).toEqual(["/v1/things/{id}", { id: "你-%ff-%zz" }]);
});
