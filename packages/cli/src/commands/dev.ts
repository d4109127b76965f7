import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CliError } from "../cli-error.ts";

const PACKAGE = "@parley/dev";

/** What the package of the local stack exports. */
interface DevPackage {
  runLocalStack(flags: readonly string[]): Promise<void>;
}

export interface DevOptions {
  readonly port?: string | undefined;
  readonly data?: string | undefined;
  readonly fresh: boolean;
  readonly demo: boolean;
}

/**
 * Runs the local stack of the package `@parley/dev` in this process, which ends with it.
 * @throws CliError when neither the current folder nor this program has the package
 */
export async function dev({ port, data, fresh, demo }: DevOptions): Promise<undefined> {
  const { runLocalStack } = (await import(packageUrl())) as DevPackage;
  await runLocalStack([
    ...(port === undefined ? [] : ["--port", port]),
    ...(data === undefined ? [] : ["--data", data]),
    ...(fresh ? ["--fresh"] : []),
    ...(demo ? ["--demo"] : []),
  ]);
}

/** Of the project in the current folder, or else beside this program. */
function packageUrl(): string {
  for (const from of [join(process.cwd(), "package.json"), import.meta.url]) {
    try {
      return pathToFileURL(createRequire(from).resolve(PACKAGE)).href;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new CliError(`Missing package ${PACKAGE}, the local stack. Run npm install --save-dev ${PACKAGE}.`);
}
