import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { billPage } from "./bill/page.ts";

// `npm run bill` prints the bill of a month and writes it to docs/operate/bill.md. With --check it compares the page.

const PATH = "docs/operate/bill.md";
const file = fileURLToPath(new URL(`../${PATH}`, import.meta.url));
const page = billPage();
if (!process.argv.includes("--check")) {
  writeFileSync(file, page);
  process.stdout.write(page);
} else if (readFileSync(file, "utf8") !== page) {
  process.stderr.write(
    `${PATH} does not match the prices, the table's units or the templates. Run \`npm run bill\` and commit the result.\n`,
  );
  process.exitCode = 1;
}
