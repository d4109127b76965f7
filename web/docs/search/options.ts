import type { Options, SearchOptions } from "minisearch";

/** What the search finds: a page, a section of one, a field or an error code. */
export interface SearchEntry {
  readonly id: number;
  readonly title: string;
  /** The title of the page that has the section, or the group of the page. */
  readonly place: string;
  /** The rest of what is read there. */
  readonly text: string;
}

/** Words that every page has. */
const COMMON = new Set(
  "a an and are as at be but by can do does for from had has have if in into is it its may no not of on one only or so than that the their then there they this to was what when which who with you your".split(
    " ",
  ),
);
/** A hash, an id or a token in an example. */
const WORD_CHARS_MAX = 40;

/** The name of a header that Parley reads or sends. Other words with a hyphen are found by their parts alone. */
const HEADER = /\b(?:idempotency|parley|ratelimit|retry|svc)(?:-[a-z]+)+/g;

/** The words of a text: `window_closed` and `message.received` are one each. `Parley-Ignored` is one beside its parts. */
export function words(text: string): string[] {
  const lower = text.toLowerCase();
  return [...(lower.match(/[a-z\d]+(?:[_.][a-z\d]+)*/g) ?? []), ...(lower.match(HEADER) ?? [])];
}

/** Forms of a word by which readers search for it. */
const FORMS = Object.entries({
  deploy: "deployed deploys deploying deployment",
  migrate: "migrated migrates migrating migration",
  verify: "verified verifies verifying verification",
}).map(([word, forms]) => [word, forms.split(" ")] as const);
/** Letters of a form that is not typed to its end. */
const FORM_CHARS_MIN = 6;

/** The word of which another one is a form, or the beginning of one. */
function stem(word: string): string {
  if (word.length < FORM_CHARS_MIN) return word;
  return FORMS.find(([, forms]) => forms.some((form) => form.startsWith(word)))?.[0] ?? word;
}

/** The parts of a name, so that “window closed” and “send reply” find it. */
function parts(word: string): string[] {
  return /[_.]/.test(word) ? [word, ...word.split(/[_.]/)] : [word];
}

/** The form under which a word is indexed and searched: the singular of a plural, and a verb. Null for a common word. */
export function normalize(word: string): string | null {
  if (COMMON.has(word) || word.length > WORD_CHARS_MAX) return null;
  return stem(singular(word));
}

function singular(word: string): string {
  if (/[a-z]{2}ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return /[a-z]{2}[^s\W\d_]s$/.test(word) && !/(?:us|is)$/.test(word) ? word.slice(0, -1) : word;
}

/** The index is built and read with the same options. */
export const indexOptions: Options<SearchEntry> = {
  fields: ["title", "text"],
  // A title is found by the parts of a name, a text by the whole name.
  tokenize: (text, field) => {
    const textWords = words(text);
    return field === "title" ? textWords.flatMap(parts) : textWords;
  },
  processTerm: (word) => normalize(word),
};

/** Every word must be there, its end may be missing. A title counts more than a text. */
export const strictSearch: SearchOptions = {
  combineWith: "AND",
  boost: { title: 8 },
  prefix: (word) => word.length > 1,
};

/** Used when nothing has every word: some of them, also misspelled. */
export const looseSearch: SearchOptions = {
  ...strictSearch,
  combineWith: "OR",
  fuzzy: (word) => (word.length > 4 ? 0.2 : false),
};
