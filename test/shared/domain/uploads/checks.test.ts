import { describe, expect, test } from "vitest";
import { checkDeclared, checkPosted } from "../../../../shared/domain/uploads/checks.ts";

const png = { filename: "a.png", contentType: "image/png", size: 1, type: "image" } as const;
const pngHead = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");

describe("a declared file", () => {
  test("is accepted with a clean name, a normalized type and its limit", () => {
    const file = { filename: "../a\u202e.PNG", contentType: "Image/X-PNG; q=1", size: 8 * 2 ** 20 };
    expect(checkDeclared("instagram_login", file)).toEqual({
      filename: "a.PNG",
      contentType: "image/png",
      size: 8 * 2 ** 20,
      type: "image",
      maxSize: 8 * 2 ** 20,
    });
  });
});

describe("a posted file", () => {
  test("must be as large and start as declared", () => {
    expect(checkPosted("messenger", png, { size: 8 * 2 ** 20, head: pngHead })).toBeNull();
    expect(checkPosted("messenger", png, { size: 8 * 2 ** 20 + 1, head: pngHead })?.refused).toBe(
      "attachment_too_large",
    );
    expect(checkPosted("messenger", png, { size: 9, head: Buffer.from("GIF89a...") })?.refused).toBe(
      "unsupported_media_type",
    );
  });
});
