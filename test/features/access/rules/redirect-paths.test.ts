import { describe, expect, test } from "vitest";
import { parseRedirectPath } from "#features/access/rules/redirect-paths.ts";

test.each([
  ["/", "/"],
  ["/inbox", "/inbox"],
  ["/inbox/ig%23c1?filter=open&x=//evil.example#message-3", "/inbox/ig%23c1?filter=open&x=//evil.example#message-3"],
  ["/Straße", "/Stra%C3%9Fe"],
  ["/a/../b", "/b"],
  ["/%09/evil.example", "/%09/evil.example"],
  ["/console/auth/signed-in", "/console/auth/signed-in"],
  ["/console/auth/signed-in?x=1", "/console/auth/signed-in?x=1"],
  ["/app/acme/inbox/instagram/178414/993", "/app/acme/inbox/instagram/178414/993"],
  ["/oauth/connect?tenant=shop", "/oauth/connect?tenant=shop"],
  ["/verifying", "/verifying"],
  ["/inbox/oauth/instagram/start", "/inbox/oauth/instagram/start"],
  ["/inbox?next=/oauth/instagram/start", "/inbox?next=/oauth/instagram/start"],
  ["/inbox/100%", "/inbox/100%"],
  [`/${"a".repeat(299)}`, `/${"a".repeat(299)}`],
])("%j redirects to %j", (text, path) => {
  expect(parseRedirectPath(text)).toBe(path);
});

describe("any other path", () => {
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
    ["/oauth/instagram/start?tenant=stranger"],
    ["/oauth/messenger/start"],
    ["/oauth/connect/../instagram/start"],
    ["/oauth/connect.js"],
    ["/oauth"],
    ["/OAuth/instagram/start"],
    ["/inbox/../oauth/instagram/start"],
    ["/inbox/%2e%2e/oauth/instagram/start"],
    ["/%6fauth/instagram/start"],
    ["/%256fauth/instagram/start"],
    ["/oauth%2finstagram%2fstart"],
    ["/inbox/..%2foauth/instagram/start"],
    ["/inbox%2f..%2f..%2foauth/instagram/start"],
    ["/inbox//../../oauth/instagram/start"],
    ["/platform/data-deletion/x"],
    ["/v1/conversations"],
    ["/webhooks/instagram"],
    ["/verify"],
    ["/verify?hold=hold_1#t=x"],
    ["/console/auth/verify?token=x"],
    ["/console/auth/sign-in"],
    ["/console/auth/signed-in/../verify"],
    ["/console/auth/signed-in%2f..%2fverify"],
    [`/${"a".repeat(300)}`],
    [`/${"ü".repeat(60)}`],
  ])("%j redirects to /", (text) => {
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
