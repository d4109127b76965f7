import { availableParallelism } from "node:os";
import concurrently from "concurrently";

// `npm run check`: everything that must hold before a commit and needs no test. As many of the checks run at once as there
// are processors. It fails when one of them fails, after all have run.

const TSC = "node node_modules/typescript-native/bin/tsc -p";

/** The longest first. */
const checks: Readonly<Record<string, string>> = {
  types: `${TSC} .`,
  "types of other projects": [
    "web",
    "web/console",
    "packages/cli",
    "packages/client",
    "packages/local-aws",
    "packages/local-aws/src/mailbox/page",
    "packages/receiver",
    "packages/simulator",
    "packages/simulator/src/page",
  ]
    .map((project) => `${TSC} ${project}`)
    .join(" && "),
  imports: "depcruise shared functions local lib bin web packages test/packages",
  style: "biome check --error-on-warnings .",
  "package dev": "node bin/package.ts dev --check",
  "cdk-nag": "node bin/nag.ts",
  unused: "knip",
  "package local-aws": "node bin/package.ts local-aws --check",
  "package simulator": "node bin/package.ts simulator --check",
  "package client": "node bin/package.ts client --check",
  "package receiver": "node bin/package.ts receiver --check",
  "package cli": "node bin/package.ts cli --check",
  walks: "node test/walks/main.ts --check",
  expressions: "node bin/expressions.ts",
  openapi: "node bin/openapi.ts --check",
  "openapi guard": "node bin/openapi-guard.ts",
  "client types": "node bin/client-types.ts --check",
  docs: "node bin/docs.ts --check",
  licenses: "node bin/licenses.ts",
  folders: "node bin/folders.ts",
  commits: "node bin/commit-subjects.ts",
  advisories: "node bin/advisories.ts --offline",
};

const { result } = concurrently(
  Object.entries(checks).map(([name, command]) => ({ name, command })),
  { maxProcesses: availableParallelism(), group: true, prefix: "{name}:" },
);
await result.catch((events: readonly { readonly exitCode: unknown; readonly command: { readonly name: string } }[]) => {
  const failed = events.filter(({ exitCode }) => exitCode !== 0).map(({ command }) => command.name);
  process.stderr.write(`Failed: ${failed.join(", ")}\n`);
  process.exitCode = 1;
});
