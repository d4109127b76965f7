import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { derivePuzzles } from "#features/holds/rules/proof-of-work.ts";
import { firstWordAfter, hashPrefix } from "../../web/check-page/sha256.ts";
import { solve } from "../../web/check-page/solve.ts";

test("the solver computes the first word of SHA-256 like the library, for lengths around block boundaries", () => {
  for (let length = 0; length <= 130; length++) {
    const salt = "0123456789abcdef".repeat(9).slice(0, length);
    const firstWord = firstWordAfter(hashPrefix(salt));
    for (const digits of ["0", "907", "1234567", "9007199254740991"]) {
      const expected = createHash("sha256").update(`${salt}${digits}`).digest().readUInt32BE(0);
      expect(firstWord(Buffer.from(digits), digits.length), `${length} and ${digits}`).toBe(expected);
    }
  }
});

test("the solver finds the smallest number that solves the puzzle that the server derives from the same token", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 200 }),
      fc.record({ c: fc.constant(3), s: fc.integer({ min: 1, max: 64 }), d: fc.integer({ min: 1, max: 3 }) }),
      (token, challenge) => {
        const puzzles = derivePuzzles(token, challenge);
        for (const [i, { salt, target }] of puzzles.entries()) {
          const solves = (nonce: number) =>
            createHash("sha256").update(`${salt}${nonce}`).digest("hex").startsWith(target);
          const solution = solve({ token, number: i + 1, saltChars: challenge.s, targetChars: challenge.d });
          expect(solves(solution)).toBe(true);
          if (challenge.d < 3) for (let nonce = 0; nonce < solution; nonce++) expect(solves(nonce)).toBe(false);
        }
      },
    ),
    { numRuns: 60 },
  );
});
