import { CONNECT_PAGE_PATH } from "../../shared/domain/accounts/login-results.ts";
import type { PageFile } from "../../shared/flows/holds/ports.ts";
import { START_PAGE } from "../routes/accounts/start-page.ts";
import { readPageFiles } from "../support/page-files.ts";

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
    ["/platform/data-deletion/{code}", "index.html"],
    ["/platform/data-deletion/style.css", "style.css"],
  ]);
}
