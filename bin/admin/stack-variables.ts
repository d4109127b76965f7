import type { Arguments } from "./arguments.ts";
import { localStack } from "./local-stack.ts";
import { printJson, printLines } from "./text/print.ts";

/**
 * Prints what the commands of the guides need to call the local stack, as shell variables.
 * @throws CliError when no stack runs
 */
export async function printVariables({ json }: Arguments): Promise<undefined> {
  const { base_url, live_key } = localStack().local;
  const variables = { BASE: base_url ?? "", KEY: live_key ?? "" };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  if (json) printJson(variables);
  else printLines(`export ${assignments.join(" ")}`);
}
