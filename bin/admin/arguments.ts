import { env } from "#base/config/names.ts";
import { parseOptions } from "#cli/text/parse-options.ts";

export const USAGE = `Usage:
  npm run admin -- doctor [--json]
  npm run admin -- smoke [--json]
  npm run admin -- tenant create SLUG --owner EMAIL [--name NAME] [--json]
  npm run admin -- tenant invite-owner SLUG EMAIL [--json]
  npm run admin -- tenant suspend SLUG [--json]
  npm run admin -- tenant resume SLUG [--json]
  npm run admin -- tenant delete SLUG --confirm SLUG [--json]
  npm run admin -- sign-in-link EMAIL [--json]
  npm run admin -- key create --tenant SLUG --scope live|test [--label LABEL] [--strict yes|no] [--json]
  npm run admin -- key list --tenant SLUG [--json]
  npm run admin -- key revoke ID --tenant SLUG [--json]
  npm run admin -- operator-key create --tenants SLUG,SLUG [--scope live|test] [--label LABEL] [--strict yes|no] [--json]
  npm run admin -- operator-key list [--json]
  npm run admin -- operator-key revoke ID [--json]
  npm run admin -- rotate root [--leaked] [--force] [--json]
  npm run admin -- rotate verify-token [--json]
  npm run admin -- adopt --stage NAME [--check] [--json]
  npm run admin -- migrate [--dry-run] [--json]
  npm run admin -- restore [--from TIME] [--table NAME] [--json]
  npm run admin -- dlq list [--queue NAME] [--limit N] [--all] [--json]
  npm run admin -- dlq explain ID [--json]
  npm run admin -- dlq redrive ID... | --queue NAME | --all [--json]

Only for the local stack:
  npm run admin -- listen [--forward-to URL] [--tenant SLUG] [--events TYPE,TYPE] [--trust-certificate FILE] [--json]
  npm run admin -- message [TEXT] [--account HANDLE] [--person NAME] [--json]
  npm run admin -- reply TEXT [--json]
  npm run admin -- hold TEXT [--actor NAME] [--json]
  npm run admin -- scenario NAME|FILE.json [--account HANDLE] [--person NAME] [--json]
  npm run admin -- clock [DURATION] [--json]
  npm run admin -- env [--json]

Target: the local stack with the data folder PARLEY_DATA (default: .parley). The commands of the first group use the deployment
of a stage with --stage NAME (the first one is "default"), whose stacks say what they need. Without --stage they use the
deployment that variables name: ${env.table}, ${env.keyId}, ${env.rootSecretId}, and what is said of a command below.
doctor checks what a deployment needs, also before the first one: account, quotas, table, key, secrets, queues, version, the
platform's view of the app, mail and alarms. Each finding names its fix, and it exits with 1 if one blocks. Without --stage it
skips what only the file of a stage knows.
smoke takes a message through the deployment, without a platform and mail: a temporary tenant, a signed webhook, its message and
frame, a test key's reply, an erasure, and the deletion of the tenant, which takes minutes. It prints the time of each step, and
exits with 1 and the step that failed. After a run that was stopped, the same command deletes what that left.
Commands that revoke, suspend, delete or rotate also need ${env.journalBucket} without --stage: the journal has an entry first.
A strict key is refused names that a route does not know; without --strict a test key is strict, and a live key is not.
A revoked key gets 401 from its next request on, and is listed for 90 days. A suspended tenant's keys get 403. Its webhooks are still received and delivered.
tenant invite-owner names an owner of an existing tenant, and revokes the invites of owners who were named before and
have not signed in.
sign-in-link prints a link that signs a member, an invited person or a named owner in, without a mail. It lasts 15 minutes.
Anyone who has it is that person: give it in a private way. Without --stage it also needs ${env.baseUrl} on a deployment.
tenant delete removes everything of a tenant, for good. It ends the webhooks of its accounts first, and without --stage needs ${env.table}, ${env.uploadBucket}, ${env.keyId} and ${env.platformSecretId}. A run that was stopped is continued by the same command.
rotate root makes a new root secret; keys, sessions and links of the one before it stay valid. A second rotation names
the keys that were not used since the first, and needs --force to end them. rotate root --leaked is for a root secret that
someone else knows: it ends all sessions, sign-in links, logins in progress and held messages, and prints how many; keys stay
valid. Repeated within an hour it continues with the same new secret; --force makes another. rotate verify-token prints a new verify token
for the platforms' dashboards; without --stage it needs ${env.platformSecretId}. On the local stack the token lasts until its next start.
adopt gives the existing resources that the file of a stage names what the template cannot give them: time to live, recovery and
protection of a table, rotation of a key, rules of a bucket. It changes nothing if one does not fit. --check only says what they lack.
migrate brings the table to the form of this release, after its deployment. Without --stage it needs only ${env.table}. A run
that was stopped is continued by the same command. --dry-run counts the rows and changes nothing.
restore completes a table that was restored to an earlier time: sends stop, all sessions end, the acts of the journal are made,
the platforms are asked what came and went since, and sends go on. --table names the copy before the deployment uses it: then
only what needs no worker is done. --from is the time of a table that is not a point-in-time copy. Without --stage it needs what
tenant delete needs, ${env.journalBucket} and PARLEY_<NAME>_QUEUE_URL. A run that was stopped is continued by the same command.
dlq lists, explains and redrives messages that no worker could process. Without --stage it needs only ${env.table};
redrive also needs PARLEY_<NAME>_QUEUE_URL. list --all includes redriven messages.
listen prints the deliveries of a temporary endpoint, or forwards them to a receiver on this machine.
message writes a message as a person of the simulator. reply answers the newest conversation. hold holds a message for it
and prints the link of the check page. scenario runs a scenario of the simulator; without a name it lists them. clock prints the time of the stack, or advances it: 25h, 8d, PT25H.
env prints shell variables with the address of the API and the live key: eval "$(npm run --silent admin -- env)".
listen, reply and hold use the API key in PARLEY_KEY (default: the live key of the local stack).`;

export const HELP_HINT = "Run npm run admin -- --help for all commands.";

/** The output of a command: one line per field, or one JSON object. */
export type CommandOutput = Readonly<Record<string, string | readonly string[] | null>>;

export type Arguments = ReturnType<typeof readArguments>;

const stringOption = { type: "string" } as const;
const options = {
  owner: stringOption,
  name: stringOption,
  stage: stringOption,
  from: stringOption,
  table: stringOption,
  tenant: stringOption,
  tenants: stringOption,
  confirm: stringOption,
  scope: stringOption,
  label: stringOption,
  strict: stringOption,
  "forward-to": stringOption,
  "trust-certificate": stringOption,
  events: stringOption,
  queue: stringOption,
  limit: stringOption,
  account: stringOption,
  person: stringOption,
  actor: stringOption,
  all: { type: "boolean", default: false },
  check: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  force: { type: "boolean", default: false },
  leaked: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/**
 * Parses the arguments after `admin`.
 * @throws CliError that names the nearest flag for an unknown one
 */
export function readArguments(args: readonly string[]) {
  const { values, positionals } = parseOptions(args, options, HELP_HINT);
  return { ...values, positionals };
}
