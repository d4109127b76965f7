import { describe, expect, test } from "vitest";
import { platformHttp } from "#platforms/graph/http.ts";
import { mockPlatform } from "#platforms/graph/mock.ts";
import { platformFor } from "#platforms/platforms.ts";
import { textSend } from "./fake-platform.ts";

const upstream = { facebookGraph: "http://127.0.0.1:1", instagramGraph: "http://127.0.0.1:1", graphVersion: "v26.0" };
const newId = () => "id";
const http = platformHttp();

describe.each([
  ["instagram_login", platformFor("instagram_login", upstream, http)],
  ["instagram_page", platformFor("instagram_page", upstream, http)],
  ["the mock of instagram", mockPlatform(newId, "instagram")],
])("%s counts bytes", (_name, platform) => {
  test.each([
    ["a".repeat(1_000), false],
    ["a".repeat(1_001), true],
    ["é".repeat(500), false],
    [`${"é".repeat(500)}a`, true],
    ["あ".repeat(333), false],
    ["あ".repeat(334), true],
    ["😀".repeat(250), false],
    ["😀".repeat(251), true],
  ])("a text may be as long as the platform allows (%#)", (text, tooLong) =>
    expect(platform.textTooLong(text)).toBe(tooLong),
  );
});

describe.each([
  ["messenger", platformFor("messenger", upstream, http)],
  ["the mock of messenger", mockPlatform(newId, "messenger")],
])("%s counts code points", (_name, platform) => {
  test.each([
    ["a".repeat(2_000), false],
    ["a".repeat(2_001), true],
    ["あ".repeat(2_000), false],
    ["😀".repeat(2_000), false],
    ["😀".repeat(2_001), true],
    [`${"😀".repeat(1_000)}${"a".repeat(1_000)}`, false],
    [`${"😀".repeat(1_000)}${"a".repeat(1_001)}`, true],
  ])("a text may be as long as the platform allows (%#)", (text, tooLong) =>
    expect(platform.textTooLong(text)).toBe(tooLong),
  );
});

test("the mock accepts every send with a new id", async () => {
  let count = 0;
  const mock = mockPlatform(() => String(++count), "instagram");
  const account = { platform: "instagram", externalId: "1", pageId: null } as const;
  expect(await mock.send(account, "", textSend)).toEqual({ kind: "accepted", messageId: "mock_mid_1" });
  expect(await mock.send(account, "", textSend)).toEqual({ kind: "accepted", messageId: "mock_mid_2" });
});
