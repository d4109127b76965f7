import { parseArgs } from "node:util";
import { env } from "../../shared/config/names.ts";
import { Unable } from "./unable.ts";

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
export type Answer = Readonly<Record<string, string | readonly string[] | null>>;

export type Arguments = ReturnType<typeof readArguments>;

/** The words and flags after `admin`. @throws Unable with the usage for a flag that there is not */
export function readArguments(args: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        owner: text,
        name: text,
        tenant: text,
        tenants: text,
        scope: text,
        label: text,
        "forward-to": text,
        events: text,
        queue: text,
        limit: text,
        all: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
      },
    });
    return { ...values, words: positionals };
  } catch (error) {
    throw new Unable(`${(error as Error).message}\n\n${USAGE}`);
  }
}
