import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { errorsPage } from "./docs/errors.ts";
import { eventTypeNamesSource } from "./docs/event-type-names.ts";
import { eventsPage } from "./docs/events.ts";
import { otherRoutesSource } from "./docs/other-routes.ts";
import { measureCoverage } from "./openapi/describe/coverage.ts";
import { embedExamples } from "./openapi/embed-examples.ts";
import { toJsonText } from "./openapi/json-text.ts";
import { pagesDocument, publishedDocument } from "./openapi/published-document.ts";
import { unreadableSchemas } from "./openapi/shape/readable.ts";

// `node bin/openapi.ts` writes the API reference from the routes, the events and the refusals. With --check it compares
// instead. Either fails when something in the document has no description, or a generator of clients cannot read it.

// What the operations answered on a local stack: `npm run openapi:examples`.
const examples = JSON.parse(readFileSync(new URL("../docs/examples.json", import.meta.url), "utf8"));
const document = publishedDocument();
const coverage = measureCoverage(document);
const problems = [...coverage.problems, ...unreadableSchemas(document)];
const pages = {
  "docs/openapi.json": `${toJsonText(embedExamples(document, examples))}\n`,
  "test/support/conformance/pages.json": `${toJsonText(pagesDocument())}\n`,
  "docs/errors.md": errorsPage(),
  "docs/guides/events.md": eventsPage(),
  "functions/api/other-routes.ts": otherRoutesSource(),
  "packages/cli/src/text/event-type-names.ts": eventTypeNamesSource(),
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

if (problems.length > 0) {
  const advice = "Write the descriptions in bin/openapi/texts, each saying what the name does not.";
  process.stderr.write(`${problems.map((problem) => `- ${problem}`).join("\n")}\n${advice}\n`);
  process.exitCode = 1;
} else if (!process.argv.includes("--check")) {
  process.stdout.write(`${coverage.described} of ${coverage.total} parts of docs/openapi.json have a description.\n`);
}
