import { localStack } from "../target/local-stack.ts";
import { printableJson, printLines } from "../text/print.ts";

/**
 * Prints the address and the live key of the local stack as shell variables, for `eval "$(parley env)"`.
 * @throws CliError when no stack runs
 */
export async function env({ json }: { readonly json: boolean }): Promise<undefined> {
  const { base_url, live_key } = localStack();
  const variables = { BASE: base_url, KEY: live_key ?? "" };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  printLines(json ? printableJson(variables) : `export ${assignments.join(" ")}`);
}
