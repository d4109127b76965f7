import { type Language, languages } from "#base/languages/languages.ts";

// A made-up language that is read from right to left, with texts half as long again. It shows what a layout takes for
// granted.

/** The name of the made-up language, as a browser names Arabic. */
export const PSEUDO_LOCALE = "ar";

/** Every language of the pages, and the made-up one. */
export const locales = [...languages, PSEUDO_LOCALE] as const;
export type Locale = (typeof locales)[number];

/** The texts of a page in a language; in the made-up one, from the English texts. */
export function textsIn<T extends Readonly<Record<string, string>>>(
  byLanguage: Readonly<Record<Language, T>>,
  locale: Locale,
): T {
  if (locale !== PSEUDO_LOCALE) return byLanguage[locale];
  return Object.fromEntries(Object.entries(byLanguage.en).map(([name, text]) => [name, pseudoText(text)])) as T;
}

/** An English page in the made-up language: what it shows, its labels, and the texts of its script. */
export function pseudoPage(page: string): string {
  return page
    .replace('lang="en" dir="ltr"', `lang="${PSEUDO_LOCALE}" dir="rtl"`)
    .replace(/(?<=<script type="application\/json"[^>]*>)[^<]+/, pseudoData)
    .replace(/(?<= aria-label=")[^"]+/g, pseudoText)
    .replace(
      /(<script[^>]*>[^<]*)|(?<=>)[^<>]*[a-z][^<>]*(?=<)/gi,
      (text, script?: string) => script ?? pseudoText(text),
    );
}

function pseudoData(json: string): string {
  const texts = Object.entries(JSON.parse(json) as Record<string, string>);
  return JSON.stringify(Object.fromEntries(texts.map(([name, text]) => [name, pseudoText(text)])));
}

/**
 * A text with its `{values}` and its references to characters, followed by its first half again. Its letters stay those that
 * the font of the tests has, and an override lets them run from right to left.
 */
function pseudoText(text: string): string {
  const words = text.replace(UNCHANGED, "").trim();
  return `${RIGHT_TO_LEFT}${text.trim()} ${words.slice(0, words.length / 2).trim()}${END}`;
}

const UNCHANGED = /\{\w+\}|&[#\w]+;/g;
const [RIGHT_TO_LEFT, END] = ["\u202e", "\u202c"];
