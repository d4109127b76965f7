import type { PageFile } from "#base/files/page-file.ts";
import { CONFIRM_PAGE, INVALID_LINK_PAGE } from "#features/access/routes/sign-in/pages.ts";
import { localized, readPageFiles } from "../support/page-files.ts";

/** Reads the sign-in pages that `buildSignInPage` wrote. The page of an invalid link has the path of the link. */
export function readSignInPage(folder: string): ReadonlyMap<string, PageFile> {
  return readPageFiles(folder, [
    ...localized("/console/auth/sign-in", "index"),
    ...localized(INVALID_LINK_PAGE, "invalid-link"),
    ...localized(CONFIRM_PAGE, "confirm"),
    ["/console/auth/sign-in.js", "sign-in.js"],
    ["/console/auth/sign-in.css", "sign-in.css"],
  ]);
}
