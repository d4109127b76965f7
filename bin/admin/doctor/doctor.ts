import { type Arguments, HELP_HINT } from "../arguments.ts";
import { CliError } from "../cli-error.ts";
import { printJson, printLines } from "../text/print.ts";
import { checks } from "./checks.ts";
import { openContext } from "./context.ts";
import { type CheckResult, runChecks } from "./run-checks.ts";

/**
 * Checks what a deployment needs, before it and after it, and prints each finding with its fix.
 * @returns the exit code: 1 if a finding blocks
 */
export async function diagnose(values: Arguments): Promise<0 | 1> {
  const { positionals, json, stage } = values;
  if (positionals.length > 1) throw new CliError(`Unexpected argument: ${positionals[1]}. ${HELP_HINT}`);
  const results = await runChecks(checks, await openContext(stage));
  const isBlocked = results.some(({ status }) => status === "blocking");
  if (json) printJson({ ok: !isBlocked, checks: results });
  else printLines(describe(results));
  return isBlocked ? 1 : 0;
}

const STATUS_CHARS = "blocking".length;

function describe(results: readonly CheckResult[]): string {
  const nameChars = Math.max(...results.map(({ check }) => check.length));
  const lines = results.flatMap((result) => {
    const start = `${result.status.padEnd(STATUS_CHARS)}  ${result.check.padEnd(nameChars)}  `;
    return [`${start}${result.finding}`, ...("fix" in result ? [`${" ".repeat(start.length)}${result.fix}`] : [])];
  });
  const count = (status: CheckResult["status"]) => results.filter((result) => result.status === status).length;
  return [...lines, "", `${count("blocking")} blocking, ${count("warning")} warnings.`].join("\n");
}
