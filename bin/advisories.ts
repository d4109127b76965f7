// Refuses packages with a known vulnerability: `node bin/advisories.ts [--offline | --required]`.
//
// `.ci/advisory-exceptions.json` has the accepted ones, each with a reason and a last day. They are checked always, with
// --offline alone. The advisories come from the registry by `npm audit`. Without an answer of it the command succeeds and
// says so; with --required it fails.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AdvisoryException, advisoryProblems, exceptionProblems, readAdvisories } from "./packages/advisories.ts";
import { lockedPackages } from "./packages/lock-file.ts";

const project = fileURLToPath(new URL("..", import.meta.url));
const EXCEPTIONS = ".ci/advisory-exceptions.json";
const AUDIT_MS = 60_000;

const [mode] = process.argv.slice(2);
const exceptions = JSON.parse(readFileSync(join(project, EXCEPTIONS), "utf8")) as readonly AdvisoryException[];
report(exceptionProblems(exceptions, lockedPackages(project), Date.now()).map((text) => `${EXCEPTIONS}: ${text}`));
if (process.exitCode === undefined && mode !== "--offline") checkAdvisories();

function checkAdvisories(): void {
  const answer = auditAnswer();
  const advisories = readAdvisories(answer);
  if (advisories !== null) {
    report(advisoryProblems(advisories, exceptions));
    return;
  }
  const { message, error } = (answer ?? {}) as { readonly message?: string; readonly error?: { summary?: string } };
  const cause = (message ?? error?.summary ?? "no answer").replace(/https?:\/\/\S+/g, "the registry");
  process.stderr.write(`Advisories are not checked, because the registry gave none: ${cause}\n`);
  if (mode === "--required") process.exitCode = 1;
}

/** The JSON of `npm audit`, also of its failure. Null if there is none. */
function auditAnswer(): unknown {
  const args = ["audit", "--json", "--package-lock-only", "--fetch-retries=0"];
  const { stdout } = spawnSync("npm", args, { cwd: project, encoding: "utf8", timeout: AUDIT_MS });
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

function report(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
