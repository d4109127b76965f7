import { parseArgs } from "node:util";
import { env } from "../../shared/config/names.ts";
import { CliError } from "./cli-error.ts";

export const USAGE = `Usage:
  npm run admin -- tenant create SLUG --owner EMAIL [--name NAME] [--json]
  npm run admin -- key create --tenant SLUG --scope live|test [--label LABEL] [--json]
  npm run admin -- operator-key create --tenants SLUG,SLUG [--scope live|test] [--label LABEL] [--json]
  npm run admin -- dlq list [--queue NAME] [--limit N] [--all] [--json]
  npm run admin -- dlq explain ID [--json]
  npm run admin -- dlq redrive ID... | --queue NAME | --all [--json]
  npm run admin -- listen --forward-to URL [--tenant SLUG] [--events TYPE,TYPE] [--json]

Target: the local stack with the data folder PARLEY_DATA (default: .parley). All commands except listen use a deployment
instead when ${env.table}, ${env.keyId} and ${env.rootSecretId} name its table, key and root secret.
dlq lists, explains and redrives messages that no worker could process. On a deployment it needs only ${env.table};
redrive also needs PARLEY_<NAME>_QUEUE_URL. list --all includes redriven messages.
listen forwards the deliveries of a temporary endpoint to a receiver on this machine. It uses the API key in PARLEY_KEY
(default: the live key of the local stack).`;

/** The output of a command: one line per field, or one JSON object. */
export type CommandOutput = Readonly<Record<string, string | readonly string[] | null>>;

export type Arguments = ReturnType<typeof readArguments>;

/**
 * Parses the arguments after `admin`.
 * @throws CliError with the usage for an unknown flag
 */
export function readArguments(args: readonly string[]) {
  const stringOption = { type: "string" } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        owner: stringOption,
        name: stringOption,
        tenant: stringOption,
        tenants: stringOption,
        scope: stringOption,
        label: stringOption,
        "forward-to": stringOption,
        events: stringOption,
        queue: stringOption,
        limit: stringOption,
        all: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
      },
    });
    return { ...values, positionals };
  } catch (error) {
    throw new CliError(`${(error as Error).message}\n\n${USAGE}`);
  }
}
