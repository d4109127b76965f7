import { expect, it } from "vitest";
import { once, withLazySchemas } from "#http/lazy-schemas.ts";

it("a schema of a route is made when it is first read, and once", () => {
  const made: string[] = [];
  const schema = (name: string) => () => {
    made.push(name);
    return { name };
  };
  const route = withLazySchemas<Record<string, unknown>>({
    operation: "getX",
    handle: () => "handled",
    body: "bytes",
    query: schema("query"),
    data: schema("data"),
  });
  expect(made).toEqual([]);
  expect(route.query).toBe(route.query);
  expect(made).toEqual(["query"]);
  expect(route).toMatchObject({ operation: "getX", body: "bytes", data: { name: "data" } });
  expect(typeof route.handle).toBe("function");
});

it("a value that is made once may be undefined", () => {
  let calls = 0;
  const value = once(() => void calls++);
  expect([value(), value(), calls]).toEqual([undefined, undefined, 1]);
});
