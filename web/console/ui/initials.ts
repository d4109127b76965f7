/** The first letters of the first and the last word. */
export function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s._-]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => firstLetter(word ?? ""));
  return letters.join("").toLocaleUpperCase() || "?";
}

function firstLetter(word: string): string {
  const [letter = ""] = word.match(/[\p{L}\p{N}]/u) ?? [];
  return letter;
}
