import { CliError } from "../cli-error.ts";
import { eventTypes } from "../text/event-type-names.ts";
import { nearest } from "../text/nearest.ts";
import { didYouMean } from "../text/parse-options.ts";

/**
 * The types of `--events`; undefined without the option.
 * @throws CliError that names the nearest type for an unknown one
 */
export function parseEventTypes(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length === 0) throw new CliError("Missing event type. Set --events to types such as message.received.");
  const unknown = names.find((name) => !eventTypes.includes(name));
  if (unknown === undefined) return names;
  const suggestion = nearest(unknown, eventTypes);
  const fix = suggestion === null ? ` Use ${eventTypes.join(", ")}.` : didYouMean(suggestion);
  throw new CliError(`Unknown event type: ${unknown}.${fix}`);
}
