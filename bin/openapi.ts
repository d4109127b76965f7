import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openApiDocument } from "../functions/http/openapi.ts";
import { connectApiRoutes } from "../functions/routes/connect-routes.ts";
import { consoleApiRoutes } from "../functions/routes/console-routes.ts";
import { checkApiRoutes } from "../functions/routes/holds/check.ts";
import { apiRoutes } from "../functions/routes/index.ts";
import { API_VERSION } from "../shared/domain/events/events.ts";
import { errorsPage } from "./docs/errors.ts";
import { eventsPage, eventWebhooks } from "./docs/events.ts";

// `node bin/openapi.ts` writes the API reference from the routes, the events and the refusals. With --check it compares
// instead.

const document = {
  ...openApiDocument<never>([...apiRoutes, ...consoleApiRoutes, ...connectApiRoutes, ...checkApiRoutes], {
    title: "Parley",
    version: API_VERSION,
  }),
  webhooks: eventWebhooks(),
};
const pages = {
  "docs/openapi.json": `${JSON.stringify(document, null, 2)}\n`,
  "docs/errors.md": errorsPage(),
  "docs/guides/events.md": eventsPage(),
};

for (const [path, text] of Object.entries(pages)) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  if (!process.argv.includes("--check")) {
    writeFileSync(file, text);
  } else if (readFileSync(file, "utf8") !== text) {
    process.stderr.write(`${path} does not match the code. Run \`npm run openapi\` and commit the result.\n`);
    process.exitCode = 1;
  }
}
