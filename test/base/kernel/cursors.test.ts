import fc from "fast-check";
import { expect, test } from "vitest";
import { openCursor, sealCursor } from "#base/kernel/cursors.ts";
import { oneKeyRing } from "../../support/world/key-rings.ts";

const NOW = 1_790_000_000_000;
const keys = oneKeyRing(Buffer.alloc(32, 7));

test("a cursor opens only in the scope it was sealed for", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string({ minLength: 1, maxLength: 60 }), (scope, other, position) => {
      const cursor = sealCursor(keys, scope, position, NOW);
      const result = openCursor(keys, scope, cursor, NOW);
      expect(result).toBe(Buffer.from(position).toString());
      if (other !== scope) expect(openCursor(keys, other, cursor, NOW)).toBeNull();
    }),
  );
});

test("a cursor with any one character changed, cut or added is refused", () => {
  const cursor = sealCursor(keys, "inbox", "1790000000000#abcdefghijklmnopqrstuv", NOW);
  for (let at = 0; at < cursor.length; at++) {
    const changed = cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1);
    expect(openCursor(keys, "inbox", changed, NOW), `changed at ${at}`).toBeNull();
    expect(openCursor(keys, "inbox", cursor.slice(0, at), NOW), `cut at ${at}`).toBeNull();
  }
  expect(openCursor(keys, "inbox", `${cursor}A`, NOW)).toBeNull();
});

test("text that is not a cursor is refused without an error", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ minLength: 401, maxLength: 9000 })), (text) => {
      expect(openCursor(keys, "inbox", text, NOW)).toBeNull();
    }),
  );
});
