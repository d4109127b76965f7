import { licenseProblem } from "../packages/licenses.ts";
import type { LockedPackage } from "../packages/lock-file.ts";
import { type Bom, isDevelopment } from "../packages/sbom.ts";

/** The packages that the console's list of licenses names, as `name@version`. */
export function consoleLicenses(text: string): readonly { readonly identity: string; readonly license: string }[] {
  return [...text.matchAll(/^## (\S+) - (\S+) \((.*)\)$/gm)].map(([, name, version, license = ""]) => ({
    identity: `${name}@${version}`,
    license,
  }));
}

export interface DeployedPackages {
  /** Of the functions' bundles. */
  readonly folders: readonly string[];
  /** licenses.txt of the console. */
  readonly consoleText: string;
  readonly locked: readonly LockedPackage[];
  readonly bom: Bom;
}

/** What is wrong with the packages that are deployed: no entry of the lock file, a license, or no place in the bill of materials. */
export function packageProblems({ folders, consoleText, locked, bom }: DeployedPackages): string[] {
  const ofConsole = consoleLicenses(consoleText);
  const identities = new Set(ofConsole.map(({ identity }) => identity));
  const inFunctions = locked.filter(({ path }) => folders.includes(path));
  const inConsole = locked.filter(({ name, version }) => identities.has(`${name}@${version}`));
  const lockedPaths = new Set(locked.map(({ path }) => path));
  const lockedIdentities = new Set(locked.map(({ name, version }) => `${name}@${version}`));
  const deployed = [...new Set([...inFunctions, ...inConsole])];
  return [
    ...folders
      .filter((path) => !lockedPaths.has(path))
      .map((path) => `${path} is bundled, and package-lock.json has no such package.`),
    ...[...identities]
      .filter((each) => !lockedIdentities.has(each))
      .map((each) => `The console contains ${each}, and package-lock.json does not.`),
    ...(ofConsole.length === 0 ? ["The console names no license. Its build writes licenses.txt."] : []),
    // What is deployed needs a license that any package may have, also if npm takes it for one of development.
    ...deployed.flatMap(({ dev: _, ...entry }) => licenseProblem(entry) ?? []),
    ...deployed.flatMap((entry) => bomProblem(entry, bom) ?? []),
  ];
}

function bomProblem({ name, version }: LockedPackage, bom: Bom): string | null {
  const components = bom.components.filter((each) => each.name === name && each.version === version);
  if (components.length === 0) return `The bill of materials does not have ${name}@${version}, which is deployed.`;
  return components.every(isDevelopment)
    ? `The bill of materials marks ${name}@${version} as development, and it is deployed. Add its root to consolePackages in bin/packages/sbom.ts.`
    : null;
}
