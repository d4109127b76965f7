import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Modules of `test/support` by which a test makes calls to AWS fail, lag, freeze, or run in another order. */
export const faultModules = [
  "faults.ts",
  "flows/fault-injection.ts",
  "flows/races/deterministic-scheduler.ts",
  "flows/races/erasure-race.ts",
  "processes/frozen-process.ts",
  "stores/unprocessed.ts",
  "world/processes.ts",
  "world/world-table.ts",
] as const;

/** A test that changes a client itself, or lets the time of a call pass. */
const ownFaults = /middlewareStack|aws-sdk-client-mock|invokeUntilDeadline/;

/** Tests that inject faults, and what they are about instead of a client of AWS that the bundles have. */
export const otherFaultTests: Readonly<Record<string, string>> = {
  "test/base/aws/lean/faults.test.ts": "opens both clients itself, and compares them",
  "test/base/aws/mail.test.ts": "the client of SES, which is the SDK's in the bundles, too",
};

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const helpers: ReadonlySet<string> = new Set(faultModules.map((module) => `test/support/${module}`));

/**
 * The tests of these patterns that inject faults into calls to AWS: with a module of `faultModules`, directly or through a
 * file beside the tests, or by themselves.
 */
export function faultTests(patterns: readonly string[]): string[] {
  const known = new Map<string, boolean>();
  const injects = (file: string): boolean => {
    const before = known.get(file);
    if (before !== undefined) return before;
    known.set(file, false);
    const text = readFileSync(join(ROOT, file), "utf8");
    const imports = [...text.matchAll(/ from "(\.[^"]+\.ts)"/g)].map(([, path = ""]) => join(dirname(file), path));
    const result =
      ownFaults.test(text) || imports.some((path) => helpers.has(path) || (isOfTests(path) && injects(path)));
    known.set(file, result);
    return result;
  };
  return globSync([...patterns], { cwd: ROOT })
    .filter((file) => file.endsWith(".test.ts") && injects(file) && !(file in otherFaultTests))
    .sort();
}

function isOfTests(path: string): boolean {
  return path.startsWith("test/") && !path.startsWith("test/support/") && existsSync(join(ROOT, path));
}
