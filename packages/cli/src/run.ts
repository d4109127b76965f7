import { CliError } from "./cli-error.ts";
import { type Arguments, type Command, commands, type OptionName, options } from "./command-list.ts";
import { meantOption } from "./text/meant-option.ts";
import { nearest } from "./text/nearest.ts";
import { didYouMean, parseOptions } from "./text/parse-options.ts";
import { printLines } from "./text/print.ts";

const HELP_HINT = "Run parley --help for all commands.";

/** Runs the command of the arguments. @returns the exit code @throws CliError for what its user can fix */
export async function run(args: readonly string[]): Promise<number> {
  const values = readArguments(args);
  const [name] = values.positionals;
  if (name === undefined || name === "help") {
    const command = commands[values.positionals[1] ?? ""];
    printLines(command ? commandHelp(command) : overview());
    return name === undefined && !values.help ? 1 : 0;
  }
  const command = findCommand(name);
  if (values.help) {
    printLines(commandHelp(command));
    return 0;
  }
  refuseOtherOptions(name, command, values);
  refuseOtherWords(name, command, values);
  return (await command.run(values)) ?? 0;
}

function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parseOptions(args, options, HELP_HINT);
  return { ...values, positionals };
}

function findCommand(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command;
  throw new CliError(`Unknown command: ${name}.${didYouMean(nearest(name, Object.keys(commands)))} ${HELP_HINT}`);
}

/** An option that a command does not take would be ignored without a word. */
function refuseOtherOptions(name: string, command: Command, values: Arguments): void {
  const other = (Object.keys(options) as OptionName[]).find(
    (option) => values[option] !== undefined && values[option] !== false && !command.options.includes(option),
  );
  if (other !== undefined) throw new CliError(`${name} has no option --${other}. Run parley ${name} --help.`);
}

/** A word that a command does not take would be ignored as well, such as a URL without its option. */
function refuseOtherWords(name: string, { wordsMax = 0, options: names }: Command, { positionals }: Arguments): void {
  const [word] = positionals.slice(1 + wordsMax);
  if (word === undefined) return;
  throw new CliError(`Unexpected argument: ${word}.${meantOption(word, names)} Run parley ${name} --help.`);
}

function overview(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: parley COMMAND [OPTIONS]

${rows.join("\n")}

Run parley COMMAND --help for its options. --json prints one JSON object per line.
The target is the local stack with the data folder PARLEY_DATA (default: .parley), or the deployment of --url or PARLEY_URL with the
API key in PARLEY_KEY. A key of an operator also needs --tenant SLUG.`;
}

function commandHelp({ usage, summary, help, options: names }: Command): string {
  const common = names.includes("url") ? "\n  --url URL     a deployment, with the API key in PARLEY_KEY" : "";
  const tenant = names.includes("tenant") ? "\n  --tenant SLUG the tenant, for a key of an operator" : "";
  const json = names.includes("json") ? "\n  --json        print one JSON object per line" : "";
  return `Usage: parley ${usage}\n\n${summary}\n\n${help}${common}${tenant}${json}`;
}
