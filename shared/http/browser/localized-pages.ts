import { type Language, preferredLanguage } from "#base/languages/languages.ts";
import type { ReadableHeaders } from "../header-map.ts";

/** The language of pages for browsers that accept none of theirs. */
const DEFAULT_LANGUAGE: Language = "en";

/** The name under which the files of a function have a page in a language. */
export function pageInLanguage(page: string, language: Language): string {
  return `${page}#${language}`;
}

/** The language in which a browser gets a page. */
export function languageOf(headers: ReadableHeaders): Language {
  return preferredLanguage(headers.get("accept-language")) ?? DEFAULT_LANGUAGE;
}

/** The headers of a page in a language. Another browser gets another page at the same address. */
export function languageHeaders(language: Language) {
  return { "content-language": language, vary: "accept-language" } as const;
}
