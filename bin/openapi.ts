import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { errorsPage } from "./docs/errors.ts";
import { eventsPage } from "./docs/events.ts";
import { embedExamples } from "./openapi/embed-examples.ts";
import { toJsonText } from "./openapi/json-text.ts";
import { publishedDocument } from "./openapi/published-document.ts";

// `node bin/openapi.ts` writes the API reference from the routes, the events and the refusals. With --check it compares
// instead.

// What the operations answered on a local stack: `npm run openapi:examples`.
const examples = JSON.parse(readFileSync(new URL("../docs/examples.json", import.meta.url), "utf8"));
const pages = {
  "docs/openapi.json": `${toJsonText(embedExamples(publishedDocument(), examples))}\n`,
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
