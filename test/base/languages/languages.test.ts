import { expect, it } from "vitest";
import * as all from "#base/languages/all.ts";
import { languages, preferredLanguage } from "#base/languages/languages.ts";
import { fillText } from "#base/languages/texts.ts";

it.each([
  ["de-AT,de;q=0.9,en;q=0.8", "de"],
  ["pt-PT", "pt"],
  ["fr;q=0.1, it;q=0.9", "it"],
  ["ja, es;q=0.5", "es"],
  ["ja, zh-TW", null],
  ["*", "en"],
  ["de;q=0, en", "en"],
  ["", null],
  ["; , ;;q=x ,,,", null],
  [",".repeat(8_000), null],
])("the header %j prefers the language %s", (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});

it("a request without the header prefers no language", () => {
  expect(preferredLanguage(null)).toBeNull();
});

const placeholders = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

it.each(Object.entries(all))("every language of %s has each text, with the values of the English one", (_, texts) => {
  const english = Object.entries<string>(texts.en);
  for (const language of languages) {
    const translated = texts[language] as Readonly<Record<string, string>>;
    expect(Object.keys(translated)).toEqual(Object.keys(texts.en));
    for (const [name, text] of english) {
      expect([language, name, placeholders(translated[name] ?? "")]).toEqual([language, name, placeholders(text)]);
      expect([language, name, translated[name]]).not.toEqual([language, name, ""]);
    }
  }
});

it("no line of French begins with a mark, or ends with an opening one", () => {
  const french = Object.values(all).flatMap(({ fr }) => Object.values<string>(fr));
  expect(french.filter((text) => / [?!:;»]|« /.test(text))).toEqual([]);
});

it("a text keeps a name without a value, and a value is no template", () => {
  expect(fillText("{a} and {id}", { a: "{id}" })).toBe("{id} and {id}");
});
