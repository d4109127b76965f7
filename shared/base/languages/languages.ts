import Negotiator from "negotiator";

/** The languages of the pages that people see without the console, and of mails. */
export const languages = ["en", "de", "es", "fr", "it", "pt"] as const;
export type Language = (typeof languages)[number];

export function isLanguage(text: string | null | undefined): text is Language {
  return (languages as readonly (string | null | undefined)[]).includes(text);
}

/**
 * The language that a browser prefers of those that pages have: `de` for `de-AT`.
 * @param accepted the header `Accept-Language`
 * @returns null when the header is absent or names no language of these
 */
export function preferredLanguage(accepted: string | null): Language | null {
  if (accepted === null) return null;
  const language = new Negotiator({ headers: { "accept-language": accepted } }).language([...languages]);
  return isLanguage(language) ? language : null;
}
