import type { PageFile } from "#base/files/page-file.ts";
import { html, type Markup } from "#base/kernel/text/html.ts";
import { iso, type Millis } from "#base/kernel/time.ts";
import { deletionPageTexts } from "#base/languages/all.ts";
import type { Language } from "#base/languages/languages.ts";
import { filledPage } from "#http/browser/filled-page.ts";
import { languageHeaders, languageOf, pageInLanguage } from "#http/browser/localized-pages.ts";
import type { ReadableHeaders } from "#http/header-map.ts";
import type { HttpResponse } from "#http/http-response.ts";
import type { DataDeletion } from "../flows/platform-callbacks/read-deletion.ts";

/** The path of the page, and the name of its files. */
const PAGE = "/platform/data-deletion/{code}";

/** The page of a data deletion, without a script. One and the same page for every unknown code. */
export function dataDeletionPage(
  pageFiles: ReadonlyMap<string, PageFile>,
  deletion: DataDeletion | null,
  request: ReadableHeaders,
): HttpResponse {
  const language = languageOf(request);
  const texts = deletionPageTexts[language];
  const status = deletion?.status ?? "unknown";
  return filledPage(pageFiles.get(pageInLanguage(PAGE, language)), {
    texts: {
      title: texts[`${status}Title`],
      text: texts[`${status}Text`],
      times: deletion ? timeList(deletion, language) : "",
    },
    status: deletion ? 200 : 404,
    headers: languageHeaders(language),
  });
}

function timeList({ requestedAt, doneAt }: DataDeletion, language: Language): Markup {
  const { requested, completed } = deletionPageTexts[language];
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  const time = (at: Millis) => html`<time datetime="${iso(at)}">${format.format(at)} UTC</time>`;
  const done = doneAt === null ? "" : html`<dt>${completed}</dt><dd>${time(doneAt)}</dd>`;
  return html`<dl><dt>${requested}</dt><dd>${time(requestedAt)}</dd>${done}</dl>`;
}

/** Where a language is written in several ways, the one whose dates the page has. */
const LOCALES: Readonly<Record<Language, string>> = {
  de: "de",
  en: "en-GB",
  es: "es",
  fr: "fr",
  it: "it",
  pt: "pt-BR",
};
