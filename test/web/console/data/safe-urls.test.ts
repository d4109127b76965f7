import { expect, it } from "vitest";
import { linkParts, mediaUrl } from "../../../../web/console/data/safe-urls.ts";

it.each([
  "javascript:alert(1)",
  "data:image/svg+xml,<svg onload=alert(1)>",
  "http://example.com/a.jpg",
  "https://user:password@example.com/a.jpg",
  "file:///etc/passwd",
  "//example.com/a.jpg",
  "not an address",
  "",
])("a file at %s is not loaded", (url) => {
  expect(mediaUrl(url, "parley.example.com")).toBeNull();
});

it("a file over http is loaded only between pages of this machine", () => {
  expect(mediaUrl("http://127.0.0.1:4000/media/1.png", "localhost")).toBe("http://127.0.0.1:4000/media/1.png");
  expect(mediaUrl("http://127.0.0.1:4000/media/1.png", "parley.example.com")).toBeNull();
  expect(mediaUrl("http://example.com/1.png", "localhost")).toBeNull();
});

it("only https addresses of a text become links, without the signs around them", () => {
  expect(linkParts("See https://example.com/a?b=1, or (https://example.org).")).toEqual([
    { text: "See " },
    { text: "https://example.com/a?b=1", href: "https://example.com/a?b=1" },
    { text: ", or (" },
    { text: "https://example.org", href: "https://example.org/" },
    { text: ")." },
  ]);
  for (const text of [
    "javascript:alert(1)",
    "http://example.com",
    "HTTPS://",
    "https://a@b.example",
    "https://‮moc.live",
  ]) {
    expect(linkParts(text).some(({ href }) => href !== undefined)).toBe(false);
  }
});

it("the parts of a text are the text", () => {
  const text = `${"https://example.com/".repeat(400)} ${"(".repeat(20_000)} end`;
  expect(
    linkParts(text)
      .map((part) => part.text)
      .join(""),
  ).toBe(text);
});
