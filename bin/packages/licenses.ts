import type { LockedPackage } from "./lock-file.ts";

/** Licenses that any package may have: they ask for a notice at most. */
const allowedLicenses = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "Unlicense",
]);

/** Further licenses, each for packages that only development needs. */
export const developmentLicenses: readonly {
  readonly license: string;
  readonly names: RegExp;
  readonly reason: string;
}[] = [
  {
    license: "MPL-2.0",
    names: /^(axe-core|lightningcss(-[a-z0-9-]{1,40})?)$/,
    reason: "Tests load them as they are. The license asks for the source of changed files, and no file is changed.",
  },
  {
    license: "OFL-1.1",
    names: /^@fontsource-variable\/inter$/,
    reason: "The console contains the font as it is, with this license in licenses.txt.",
  },
  { license: "Python-2.0", names: /^argparse$/, reason: "It asks for a notice in copies, and none is made." },
];

/**
 * What is wrong with the license of a package. Null if nothing.
 * @param installed the license in the package's own `package.json`, if it is installed here
 */
export function licenseProblem(entry: LockedPackage, installed?: unknown): string | null {
  const { path, version, license } = entry;
  const where = `${path.replace(/^node_modules\//, "")}@${version}`;
  if (license === undefined || license === "") return `${where} names no license in package-lock.json.`;
  if (installed !== undefined && installed !== license) {
    return `${where} has the license ${JSON.stringify(installed)}, and ${license} in package-lock.json.`;
  }
  if (isAllowed(license, entry)) return null;
  return `${where} has the license ${license}. Replace the package, or argue the license in bin/packages/licenses.ts.`;
}

/** Reads one license, or several between `OR` or between `AND`. Any other expression is refused. */
function isAllowed(expression: string, entry: LockedPackage): boolean {
  const terms = expression.replace(/^\((.*)\)$/, "$1");
  const operator = terms.includes(" AND ") ? " AND " : " OR ";
  const results = terms.split(operator).map((license) => isLicenseAllowed(license, entry));
  return operator === " AND " ? results.every(Boolean) : results.some(Boolean);
}

function isLicenseAllowed(license: string, { name, dev }: LockedPackage): boolean {
  if (allowedLicenses.has(license)) return true;
  return dev === true && developmentLicenses.some((rule) => rule.license === license && rule.names.test(name));
}
