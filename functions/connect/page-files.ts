import type { PageFile } from "#base/files/page-file.ts";
import { START_PAGE } from "#features/accounts/routes/start-page.ts";
import { CONNECT_PAGE_PATH } from "#features/accounts/rules/login-results.ts";
import { localized, readPageFiles } from "../support/page-files.ts";

/** Reads the pages that connect accounts, as `buildConnectPage` wrote them. */
export function readConnectPage(folder: string): ReadonlyMap<string, PageFile> {
  return readPageFiles(folder, [
    [CONNECT_PAGE_PATH, "index.html"],
    [START_PAGE, "start.html"],
    [`${CONNECT_PAGE_PATH}.js`, "connect.js"],
    [`${CONNECT_PAGE_PATH}.css`, "connect.css"],
  ]);
}

/** Reads the page of a data deletion, as `buildDataDeletionPage` wrote it. */
export function readDataDeletionPage(folder: string): ReadonlyMap<string, PageFile> {
  return readPageFiles(folder, [
    ...localized("/platform/data-deletion/{code}", "index"),
    ["/platform/data-deletion/style.css", "style.css"],
  ]);
}
