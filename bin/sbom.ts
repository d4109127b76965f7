// Writes the bill of materials in the CycloneDX format: `node bin/sbom.ts FILE`. It has every package of the lock file.
// Those with the property `cdx:npm:package:development` are not deployed.

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { projectBom } from "./packages/sbom.ts";

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write("Missing file. Run `npm run sbom FILE`.\n");
  process.exitCode = 1;
} else {
  const bom = projectBom(fileURLToPath(new URL("..", import.meta.url)));
  writeFileSync(resolve(file), `${JSON.stringify(bom, null, 2)}\n`);
}
