// Refuses a package whose license is not allowed: `node bin/licenses.ts [root]`. It reads the lock file, which has the
// packages of every platform, and compares it with the installed packages.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { licenseProblem } from "./packages/licenses.ts";
import { type LockedPackage, lockedPackages } from "./packages/lock-file.ts";

const [base = "."] = process.argv.slice(2);

for (const entry of lockedPackages(base)) {
  const problem = licenseProblem(entry, installedLicense(entry));
  if (problem === null) continue;
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}

function installedLicense({ path }: LockedPackage): unknown {
  const file = join(base, path, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { license?: unknown }).license : undefined;
}
