import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { html } from "../shared/base/kernel/text/html.ts";
import { mark } from "../shared/base/kernel/text/mark.ts";
import { type Language, languages } from "../shared/base/languages/languages.ts";

/** What a page says in one language, by the names of its template. */
type Texts = Readonly<Record<string, string>>;

/**
 * Writes a page once for each language: `index.de.html`. Each `{{name}}` of its template becomes a text, and
 * `{{texts}}` all of them as JSON for the script of the page, and `{{mark}}` Parley's sign. A name without a text stays, for who fills it later.
 * @param name without `.html`
 */
export function writeLocalized(
  folder: string,
  name: string,
  template: string,
  textsFor: (language: Language) => Texts,
): void {
  const source = readFileSync(template, "utf8");
  for (const language of languages) {
    writeFileSync(join(folder, `${name}.${language}.html`), localizedPage(source, language, textsFor(language)));
  }
}

/** The page of a template in a language. */
export function localizedPage(source: string, language: string, texts: Texts): string {
  // No text ends the element that has the data.
  const data = JSON.stringify(texts).replaceAll("<", "\\u003c");
  const values: Texts = { ...texts, language, direction: directionOf(language) };
  return source.replace(/\{\{(\w+)\}\}/g, (whole, key: string) => {
    if (key === "texts") return data;
    if (key === "mark") return mark.markup;
    const text = values[key];
    return text === undefined ? whole : html`${text}`.markup;
  });
}

/** @returns "ltr" or "rtl" */
function directionOf(language: string): string {
  const locale = new Intl.Locale(language) as Intl.Locale & { getTextInfo(): { readonly direction: string } };
  return locale.getTextInfo().direction;
}
