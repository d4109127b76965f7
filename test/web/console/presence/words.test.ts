import { expect, it } from "vitest";
import type { Presence } from "../../../../web/console/data/live-inbox.ts";
import { presenceWords } from "../../../../web/console/presence/words.ts";

const names: Readonly<Record<string, string>> = { ben: "Ben", ines: "Ines", dara: "דנה" };
const plain = (text: string) => text.replace(/[\u2068\u2069]/g, "");
const words = (...colleagues: Presence[]) => presenceWords(colleagues, (userId) => names[userId] ?? null);
const reads = (userId: string): Presence => ({ userId, state: "reading" });
const writes = (userId: string): Presence => ({ userId, state: "writing" });

it("the words name one or two colleagues, count more, and name who writes first", () => {
  expect(plain(words(writes("ben")))).toBe("Ben is writing");
  expect(plain(words(reads("ben"), reads("ines")))).toBe("Ben and Ines are reading");
  expect(words(reads("ben"), reads("ines"), reads("dara"))).toBe("3 colleagues are reading");
  expect(plain(words(writes("ines"), reads("ben")))).toBe("Ines is writing · Ben is reading");
  expect(words()).toBe("");
});

it("a colleague whose name is not known is a colleague", () => {
  expect(words(reads("new"))).toBe("A colleague is reading");
  expect(plain(words(writes("ben"), writes("new")))).toBe("2 colleagues are writing");
});

it("a name from right to left stands alone and does not turn the words around it", () => {
  expect(words(reads("dara"))).toBe("\u2068דנה\u2069 is reading");
});
