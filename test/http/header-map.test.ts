import { expect, it } from "vitest";
import { HeaderMap } from "#http/header-map.ts";

const pairs: [string, string][] = [
  ["Vary", "origin"],
  ["Set-Cookie", "a=1"],
  ["content-type", "text/plain"],
  ["vary", "accept-encoding"],
  ["set-cookie", "b=2"],
  ["etag", '"x"'],
];

it("the headers of a response are those of the fetch standard", () => {
  const [ours, theirs] = [new HeaderMap(pairs), new Headers(pairs)];
  const compare = () => {
    expect([...ours]).toEqual([...theirs]);
    expect(ours.getSetCookie()).toEqual(theirs.getSetCookie());
    for (const name of ["VARY", "set-cookie", "Content-Type", "missing"]) {
      expect([ours.get(name), ours.has(name)], name).toEqual([theirs.get(name), theirs.has(name)]);
    }
  };
  compare();
  for (const headers of [ours, theirs]) {
    headers.set("Vary", "x");
    headers.set("set-cookie", "c=3");
    headers.append("set-cookie", "d=4");
    headers.delete("ETag");
  }
  compare();
  for (const headers of [ours, theirs]) headers.delete("Set-Cookie");
  compare();
  expect([...new HeaderMap(theirs)]).toEqual([...theirs]);
  expect([...new HeaderMap({ B: "2", a: "1" })]).toEqual([...new Headers({ B: "2", a: "1" })]);
});

it.each([
  ["a line break", "name", "a\r\nb"],
  ["a zero byte", "name", "a\0b"],
  ["a character that is no byte", "name", "€"],
  ["a name with a blank", "a b", "c"],
  ["an empty name", "", "c"],
])("the headers of a response refuse %s", (_, name, value) => {
  for (const headers of [new HeaderMap(), new Headers()]) {
    expect(() => headers.set(name, value)).toThrow(TypeError);
    expect(() => headers.append(name, value)).toThrow(TypeError);
  }
});
