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

Speaks to the local stack whose data folder is PARLEY_DATA (default .parley); or, but for listen, to a deployment, when
${env.table}, ${env.keyId} and ${env.rootSecretId} name its table, key and root secret.
dlq shows what no worker could process and sends it again. On a deployment it needs ${env.table} alone, and to redrive
PARLEY_<NAME>_QUEUE_URL too. list --all shows what was redriven as well.
listen forwards an endpoint's deliveries to a receiver on this machine; PARLEY_KEY is the key to do it with, by default
the local stack's live key.`;

/** What one of the commands prints: a line a field, or one JSON object. */
export type CommandOutput = Readonly<Record<string, string | readonly string[] | null>>;

export type Arguments = ReturnType<typeof readArguments>;

/** The words and flags after `admin`. @throws Unable with the usage for a flag that there is not */
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
    return { ...values, positionals: positionals };
  } catch (error) {
    throw new CliError(`${(error as Error).message}\n\n${USAGE}`);
  }
}
