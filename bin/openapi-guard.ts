import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compareDocuments } from "./openapi/guard/documents.ts";
import { withoutProse } from "./openapi/guard/released-document.ts";
import { completeDocument } from "./openapi/published-document.ts";

// `node bin/openapi-guard.ts` compares the API with its last release and fails if a client of that release would notice a
// removal. With --release the API as it is becomes the last release.

const file = fileURLToPath(new URL("../docs/released/openapi.json", import.meta.url));
const current = completeDocument();

if (process.argv.includes("--release")) {
  writeFileSync(file, `${JSON.stringify(withoutProse(current))}\n`);
} else {
  const problems = compareDocuments({ released: JSON.parse(readFileSync(file, "utf8")), current });
  if (problems.length > 0) {
    const advice = "Within a major version the API only grows. See CONTRIBUTING.md, Release the API.";
    process.stderr.write(`${problems.map((problem) => `- ${problem}`).join("\n")}\n${advice}\n`);
    process.exitCode = 1;
  }
}
