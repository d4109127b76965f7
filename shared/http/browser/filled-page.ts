import type { PageFile } from "#base/files/page-file.ts";
import { html, type Markup } from "#base/kernel/text/html.ts";
import { HttpResponse } from "../http-response.ts";
import { pageHeaders } from "./page-files.ts";

/**
 * The response with a page whose file names its texts as `{{name}}`. Each text is escaped, and stripped of what is not
 * shown. Not stored by any cache.
 * @param page `texts`: by name; a name without one is empty
 * @throws Error when the file is missing
 */
export function filledPage(
  file: PageFile | undefined,
  {
    texts,
    status = 200,
    headers = {},
  }: {
    readonly texts: Readonly<Record<string, string | Markup>>;
    readonly status?: number;
    /** Further headers, and those that replace a page's own. */
    readonly headers?: Readonly<Record<string, string>>;
  },
): HttpResponse {
  if (!file) throw new Error("The file of a page is missing.");
  const page = Buffer.from(file.body)
    .toString()
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => html`${texts[name] ?? ""}`.markup);
  return new HttpResponse(page, {
    status,
    headers: { ...pageHeaders, "cache-control": "no-store", "content-type": file.type, ...headers },
  });
}
