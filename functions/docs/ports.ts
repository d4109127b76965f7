import { fileURLToPath } from "node:url";
import { setting } from "#base/config/settings.ts";
import { readDocs } from "./page-files.ts";
import type { DocsPorts } from "./routes.ts";

/** The build of the function puts the documentation beside the bundle. */
const DOCS_FOLDER = fileURLToPath(new URL("./docs", import.meta.url));

/** The documentation, with the URL of this deployment in its examples. */
export function docsPorts(): DocsPorts {
  return readDocs(DOCS_FOLDER, setting("baseUrl"));
}
