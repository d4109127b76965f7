import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { preferredEngine } from "../../support/engine/engine.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** A running program of the repository. */
export interface Program {
  readonly child: ChildProcess;
  /** Its standard output so far. */
  output(): string;
  errors(): string;
  readonly exitCode: Promise<number | null>;
}

const runningChildren = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of runningChildren) child.kill("SIGKILL");
});

/**
 * Runs `<path>.ts` with the current Node.js, as its npm script does. The process never outlives the tests.
 * @param root the checkout whose program runs. Default: this one
 */
export function runProgram(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  root = ROOT,
): Program {
  const child = spawn(process.execPath, [`${path}.ts`, ...args], {
    cwd: root,
    env: { ...cleanEnvironment(), ...engineEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  runningChildren.add(child);
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const exitCode = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      runningChildren.delete(child);
      resolve(code);
    });
  });
  return { child, output: () => output, errors: () => errors, exitCode };
}

/** The environment without settings of the test runner's user, which must not reach the stacks. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PARLEY_|AWS_|VITEST)/.test(name)));
}

/** The stack uses the same engine as the tests. */
function engineEnvironment(): Record<string, string> {
  const { prefer } = preferredEngine();
  return { PARLEY_DYNAMODB_EXPOSED: "1", ...(prefer ? { PARLEY_DYNAMODB: prefer } : {}) };
}
