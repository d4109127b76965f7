import { type Arguments, type CommandOutput, readArguments, USAGE } from "./admin/arguments.ts";
import { CliError } from "./admin/cli-error.ts";
import { runDlqCommand } from "./admin/dlq.ts";
import { listen } from "./admin/listen.ts";
import { newKey, newOperatorKey, newTenant } from "./admin/tenants.ts";

try {
  const values = readArguments(process.argv.slice(2));
  if (values.positionals.join(" ") === "listen") await listen(values);
  else if (values.positionals[0] === "dlq") process.exitCode = await runDlqCommand(values);
  else print(await run(values), values.json);
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function run(values: Arguments): Promise<CommandOutput> {
  switch (values.positionals.slice(0, 2).join(" ")) {
    case "tenant create":
      return newTenant(values);
    case "key create":
      return newKey(values);
    case "operator-key create":
      return newOperatorKey(values);
    default:
      throw new CliError(USAGE);
  }
}

function print(output: CommandOutput, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(output)}\n`);
  else for (const [name, value] of Object.entries(output)) process.stdout.write(`${name}: ${value ?? "none"}\n`);
}
