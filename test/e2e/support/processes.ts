import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { preferredEngine } from "../../support/dynamodb.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** A program of the repository, running. */
export interface Program {
  readonly child: ChildProcess;
  /** All it printed so far. */
  output(): string;
  errors(): string;
  readonly exitCode: Promise<number | null>;
}

const runningChildren = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of runningChildren) child.kill("SIGKILL");
});

/** Runs `<path>.ts` of the repository with this very node, as its npm script does. It never outlives the tests. */
export function runProgram(path: string, args: readonly string[], env: Readonly<Record<string, string>>): Program {
  const child = spawn(process.execPath, [`${path}.ts`, ...args], {
    cwd: ROOT,
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

/** The settings of whoever runs the tests must not reach the stacks they start. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PARLEY_|AWS_|VITEST)/.test(name)));
}

/** The stack runs on the engine that the tests run on. */
function engineEnvironment(): Record<string, string> {
  const { prefer } = preferredEngine();
  return prefer ? { PARLEY_DYNAMODB: prefer } : {};
}

/** The processes below one, children and theirs; none where there is no /proc. */
export function descendantsOf(pid: number): number[] {
  const children = childrenByParent().get(pid) ?? [];
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function childrenByParent(): Map<number, number[]> {
  const childrenOf = new Map<number, number[]>();
  for (const name of processNames()) {
    const parent = parentPid(name);
    if (parent !== null) childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  return childrenOf;
}

function processNames(): string[] {
  return process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
}

function parentPid(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, field 2, may hold blanks but ends with the last bracket.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}
