import { parseJsonOrNull } from "./api-response.ts";
import { runProgram } from "./processes.ts";

/** The output and the exit code of an admin command. */
export interface AdminRun {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs `npm run admin -- …` on the local stack of a data folder. */
export async function runAdmin(dataDir: string, ...args: string[]): Promise<AdminRun> {
  const program = runProgram("bin/admin", args, { PARLEY_DATA: dataDir });
  const code = await program.exitCode;
  return { code, output: program.output(), errors: program.errors() };
}

/** The same with `--json`. Throws with the command's errors unless it exits with 0. */
export async function runAdminJson(dataDir: string, ...args: string[]): Promise<{ readonly secret: string }> {
  const { code, output, errors } = await runAdmin(dataDir, ...args, "--json");
  if (code !== 0) throw new Error(`admin ${args.join(" ")} ended with ${code}: ${errors}`);
  return parseJsonOrNull(output) as { secret: string };
}
