/** Words that say nothing by themselves. */
const FILLERS = new Set(
  "a an the this that its of in on at to for as by with and or is are it be has have which value field parameter header object string number integer boolean list array name id".split(
    " ",
  ),
);

/** Shorter is no sentence. */
const WORDS_MIN = 3;

/** What is wrong with a description: it has too few words, only repeats the name, or is no sentence. Null if nothing is. */
export function emptyWords(name: string, description: string): string | null {
  const [sentence = ""] = description.split("\n");
  const words = toWords(sentence);
  if (words.length < WORDS_MIN) return "is too short to say anything";
  const nameWords = new Set(toWords(name).flatMap((word) => [word, `${word}s`, word.replace(/s$/, "")]));
  const meaningful = words.filter((word) => !nameWords.has(word) && !FILLERS.has(word));
  if (meaningful.length === 0) return "only repeats the name";
  if (!/^[`“"A-Z0-9]/.test(sentence)) return "does not begin with a capital letter";
  return /[.:)`]$/.test(sentence.trim()) ? null : "does not end with a full stop";
}

function toWords(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/['’]s\b/g, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
