// `npm run admin`: the commands of an operator and of a developer with a local stack.

import { enableCompileCache } from "node:module";
import { readArguments, USAGE } from "./admin/arguments.ts";
import { CliError, describeError } from "./admin/cli-error.ts";
import { findCommand } from "./admin/commands.ts";
import { printLines, printProblem } from "./admin/text/print.ts";

enableCompileCache();

try {
  const values = readArguments(process.argv.slice(2));
  if (values.help || values.positionals[0] === "help") printLines(USAGE);
  else if (values.positionals.length === 0) throw new CliError(USAGE);
  else process.exitCode = await findCommand(values)(values);
} catch (error) {
  const message = describeError(error);
  if (message === null) throw error;
  printProblem(message);
  process.exitCode = 1;
}
