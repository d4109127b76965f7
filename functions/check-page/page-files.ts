import type { PageFile } from "#base/files/page-file.ts";
import { localized, readPageFiles } from "../support/page-files.ts";

/** Reads the check page that `buildCheckPage` wrote. */
export function readCheckPage(folder: string): ReadonlyMap<string, PageFile> {
  return readPageFiles(folder, [
    ...localized("/verify", "index"),
    ["/verify/check.js", "check.js"],
    ["/verify/check.css", "check.css"],
    ["/verify/solver.js", "solver.js"],
  ]);
}
