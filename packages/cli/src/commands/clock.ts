import { CliError } from "../cli-error.ts";
import { callControlRoute } from "../target/control-routes.ts";
import { localStack } from "../target/local-stack.ts";

const UNITS: Readonly<Record<string, string>> = { s: "PT#S", m: "PT#M", h: "PT#H", d: "P#D", w: "P#W" };

/**
 * The time of the local stack. With a duration, such as `25h` or `PT25H`, advances its clock first.
 * @throws CliError for another duration, and when no stack runs
 */
export async function clock({
  positionals: [, duration, ...rest],
}: {
  readonly positionals: readonly string[];
}): Promise<{ readonly now: string }> {
  if (rest.length > 0) throw new CliError("Too many arguments. Name one duration, such as 25h.");
  const url = `${localStack().base_url}/_local/clock`;
  const body = duration === undefined ? undefined : { advance: toIsoDuration(duration) };
  const response = await callControlRoute(url, body);
  if (!response.ok)
    throw new CliError(`Invalid duration: ${duration}. Use a number with s, m, h, d or w, such as 25h, or ISO 8601.`);
  return { now: ((await response.json()) as { now: string }).now };
}

function toIsoDuration(text: string): string {
  const [, count = "", unit = ""] = /^\+?(\d+)([smhdw])$/.exec(text) ?? [];
  return UNITS[unit]?.replace("#", count) ?? text;
}
