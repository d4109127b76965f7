import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openApiDocument } from "../functions/http/openapi.ts";
import { checkApiRoutes } from "../functions/routes/holds/check.ts";
import { apiRoutes } from "../functions/routes/index.ts";
import { API_VERSION } from "../shared/domain/events/events.ts";

// `node bin/openapi.ts` writes the document from the routes' declarations; with --check it says whether the written
// one is still theirs.

const FILE = fileURLToPath(new URL("../docs/openapi.json", import.meta.url));
const document = openApiDocument<never>([...apiRoutes, ...checkApiRoutes], { title: "Parley", version: API_VERSION });
const text = `${JSON.stringify(document, null, 2)}\n`;

if (!process.argv.includes("--check")) {
  writeFileSync(FILE, text);
} else if (readFileSync(FILE, "utf8") !== text) {
  process.stderr.write("docs/openapi.json is not what the routes declare: run npm run openapi and commit it.\n");
  process.exitCode = 1;
}
