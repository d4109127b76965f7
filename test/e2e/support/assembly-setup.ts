import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { assemblyContext } from "../../../local/stack/stack.ts";
import { synthesizeInto } from "../../../local/template/synthesis.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the run's cloud assembly, synthesized like that of a local stack with default settings. */
    readonly assembly: string;
  }
}

/** Synthesizes and bundles once for all stacks of the test run. */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "parley-assembly-"));
  const assembly = join(folder, "cdk.out");
  await synthesizeInto({ outdir: assembly, context: assemblyContext(), useCache: true }, new AbortController().signal);
  project.provide("assembly", assembly);
  return () => rmSync(folder, { recursive: true, force: true });
}
