import type { PageFile } from "#base/files/page-file.ts";
import { CONNECT_PAGE_PATH } from "#features/access/rules/redirect-paths.ts";
import { START_PAGE } from "#features/accounts/routes/start-page.ts";
import { localized, readPageFiles } from "../support/page-files.ts";

/** Reads the page that asks before a login starts, as `buildLoginStartPage` wrote it. */
export function readLoginStartPage(folder: string): ReadonlyMap<string, PageFile> {
  return readPageFiles(folder, [...localized(START_PAGE, "index"), [`${CONNECT_PAGE_PATH}.css`, "style.css"]]);
}

/** Reads the page of a data deletion, as `buildDataDeletionPage` wrote it. */
export function readDataDeletionPage(folder: string): ReadonlyMap<string, PageFile> {
  return readPageFiles(folder, [
    ...localized("/platform/data-deletion/{code}", "index"),
    ["/platform/data-deletion/style.css", "style.css"],
  ]);
}
