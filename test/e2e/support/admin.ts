import { parse } from "./answers.ts";
import { runProgram } from "./processes.ts";

/** What an admin command said, and how it ended. */
export interface AdminRun {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs `npm run admin -- …` on the local stack of a data folder. */
export async function admin(dataDir: string, ...args: string[]): Promise<AdminRun> {
  const program = runProgram("admin", args, { PARLEY_DATA: dataDir });
  const code = await program.ended;
  return { code, output: program.output(), errors: program.errors() };
}

/** The same with `--json`. Throws with what it said unless it went well. */
export async function adminJson(dataDir: string, ...args: string[]): Promise<{ readonly secret: string }> {
  const { code, output, errors } = await admin(dataDir, ...args, "--json");
  if (code !== 0) throw new Error(`admin ${args.join(" ")} ended with ${code}: ${errors}`);
  return parse(output) as { secret: string };
}
