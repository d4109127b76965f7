// `npm run admin`: the commands of an operator and of a developer with a local stack.
import { enableCompileCache } from "node:module";
import { readArguments, USAGE } from "./admin/arguments.ts";
import { CliError, describeError } from "./admin/cli-error.ts";
import { findCommand } from "./admin/commands.ts";

enableCompileCache();

try {
  const values = readArguments(process.argv.slice(2));
  if (values.help || values.positionals[0] === "help") process.stdout.write(`${USAGE}\n`);
  else if (values.positionals.length === 0) throw new CliError(USAGE);
  else process.exitCode = await findCommand(values)(values);
} catch (error) {
  const message = describeError(error);
  if (message === null) throw error;
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
