import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { CliError } from "../cli-error.ts";
import { nearest } from "./nearest.ts";

/**
 * Parses the arguments of a program.
 * @param hint where its user finds all options, as a sentence
 * @throws CliError that names the nearest option for an unknown one
 */
export function parseOptions<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  hint: string,
) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new CliError(describeProblem(error as NodeJS.ErrnoException, Object.keys(options), hint));
  }
}

function describeProblem({ code, message }: NodeJS.ErrnoException, names: readonly string[], hint: string): string {
  const [, option = ""] = /'(-[^'\s]*)/.exec(message) ?? [];
  if (code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") return `${message.replace(/\.?$/, ".")} ${hint}`;
  const flags = names.map((name) => `--${name}`);
  return `Unknown option: ${option}.${didYouMean(nearest(option, flags))} ${hint}`;
}

/** The question after an unknown word, with the space before it; nothing without a suggestion. */
export function didYouMean(suggestion: string | null): string {
  return suggestion === null ? "" : ` Did you mean ${suggestion}?`;
}
