import { describe, expect, test } from "vitest";
import { parseRedirectPath } from "../../../../shared/domain/access/redirect-paths.ts";

test.each([
  ["/", "/"],
  ["/inbox", "/inbox"],
  ["/inbox/ig%23c1?filter=open&x=//evil.example#message-3", "/inbox/ig%23c1?filter=open&x=//evil.example#message-3"],
  ["/Straße", "/Stra%C3%9Fe"],
  ["/a/../b", "/b"],
  ["/%09/evil.example", "/%09/evil.example"],
  [`/${"a".repeat(299)}`, `/${"a".repeat(299)}`],
])("%j leads to %j", (text, path) => {
  expect(parseRedirectPath(text)).toBe(path);
});

describe("everything else leads to /", () => {
  test.each([
    [""],
    ["inbox"],
    ["//evil.example"],
    ["///evil.example"],
    ["/\\evil.example"],
    ["\\\\evil.example"],
    ["/\t/evil.example"],
    ["/\n/evil.example"],
    ["\t//evil.example"],
    [" //evil.example"],
    ["/.//evil.example"],
    ["/..//evil.example"],
    ["/a/..//evil.example"],
    ["https://evil.example/"],
    ["https:evil.example"],
    ["javascript:alert(1)"],
    ["data:text/html,x"],
    ["?x=1"],
    ["#x"],
    ["/a\u0000b"],
    ["/a\u202eb"],
    ["/a\u200bb"],
    ["/\ud800"],
    [`/${"a".repeat(300)}`],
    [`/${"ü".repeat(60)}`],
  ])("%j", (text) => {
    expect(parseRedirectPath(text)).toBe("/");
  });

  test("an address on the console's origin is always the result", () => {
    const starts = ["/", "//", "/\\", "\\", "/.", "/..", "/@", "/%2f", "/;", "/?", "/#"];
    for (const first of starts) {
      for (const second of starts) {
        const location = `https://console.example${parseRedirectPath(`${first}${second}evil.example`)}`;
        expect(new URL(location).origin).toBe("https://console.example");
      }
    }
  });
});
