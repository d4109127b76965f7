import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { statesPage } from "./docs/states.ts";

// `node bin/docs.ts` writes the pages that are generated from code. With --check it compares them instead.

const pages = { "docs/design/states.md": statesPage() };

for (const [path, text] of Object.entries(pages)) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  if (!process.argv.includes("--check")) {
    writeFileSync(file, text);
  } else if (readFileSync(file, "utf8") !== text) {
    process.stderr.write(`${path} does not match the code. Run \`npm run docs\` and commit the result.\n`);
    process.exitCode = 1;
  }
}
