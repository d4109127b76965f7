import { nearest } from "#cli/text/nearest.ts";
import { didYouMean } from "#cli/text/parse-options.ts";
import { type Arguments, type CommandOutput, HELP_HINT } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { printJson, printLine } from "./text/print.ts";

/** @returns the exit code; 0 if undefined */
type Command = (values: Arguments) => Promise<number | undefined>;

/** The commands by their words. Each imports only what it needs, so that a short command starts fast. */
const commands: Readonly<Record<string, Command>> = {
  "tenant create": async (values) => print(values, await (await import("./tenants.ts")).newTenant(values)),
  "tenant invite-owner": async (values) => print(values, await (await import("./tenants.ts")).inviteOwner(values)),
  "tenant suspend": async (values) => print(values, await (await import("./tenants.ts")).suspendTenant(values)),
  "tenant resume": async (values) => print(values, await (await import("./tenants.ts")).resumeTenant(values)),
  "tenant delete": async (values) =>
    print(values, await (await import("./delete-tenant.ts")).deleteTenantBySlug(values)),
  "sign-in-link": async (values) => print(values, await (await import("./sign-in-link.ts")).newSignInLink(values)),
  "key create": async (values) => print(values, await (await import("./keys.ts")).newKey(values)),
  "key list": async (values) => (await import("./keys.ts")).printKeys(values),
  "key revoke": async (values) => print(values, await (await import("./keys.ts")).revokeKeyById(values)),
  "operator-key create": async (values) => print(values, await (await import("./keys.ts")).newOperatorKey(values)),
  "operator-key list": async (values) => (await import("./keys.ts")).printOperatorKeys(values),
  "operator-key revoke": async (values) =>
    print(values, await (await import("./keys.ts")).revokeOperatorKeyById(values)),
  "rotate root": async (values) => (await import("./rotate.ts")).rotateRootSecret(values),
  "rotate verify-token": async (values) => print(values, await (await import("./rotate.ts")).newVerifyToken(values)),
  "dlq list": runDlq,
  "dlq explain": runDlq,
  "dlq redrive": runDlq,
  doctor: async (values) => (await import("./doctor/doctor.ts")).diagnose(values),
  smoke: async (values) => (await import("./smoke/smoke.ts")).smoke(values),
  adopt: async (values) => (await import("./adopt/adopt.ts")).adopt(values),
  restore: async (values) => (await import("./upkeep/restore.ts")).restoreCopiedTable(values),
  migrate: async (values) => (await import("./upkeep/migrate.ts")).migrateTable(values),
  listen: async (values) => (await import("./local-commands.ts")).listenLocally(values),
  message: async (values) => print(values, await (await import("./local-commands.ts")).writeLocalMessage(values)),
  reply: async (values) => print(values, await (await import("./local-commands.ts")).replyLocally(values)),
  hold: async (values) => print(values, await (await import("./local-commands.ts")).holdLocally(values)),
  scenario: async (values) => print(values, await (await import("./local-commands.ts")).runLocalScenario(values)),
  env: async (values) => (await import("#cli/commands/env.ts")).env(values),
  clock: async (values) => print(values, await (await import("./local-commands.ts")).localClock(values)),
};

/** They use the API or the simulator of the local stack. */
const LOCAL_COMMANDS = new Set(["listen", "message", "reply", "hold", "scenario", "env", "clock"]);

/**
 * Finds the command that the arguments start with.
 * @throws CliError that names the nearest command, or refuses a stage for a command of the local stack
 */
export function findCommand({ positionals, stage }: Arguments): Command {
  const [first = "", second] = positionals;
  const name = second === undefined ? first : `${first} ${second}`;
  const command = commands[name] ?? commands[first];
  if (command && stage !== undefined && LOCAL_COMMANDS.has(first)) {
    throw new CliError(`${first} is only for the local stack. Leave out --stage.`);
  }
  if (command) return command;
  const names = Object.keys(commands);
  const swapped = `${second} ${first}`;
  const suggestion = commands[swapped] ? swapped : (nearest(name, names) ?? nearest(first, names));
  const question = didYouMean(suggestion);
  throw new CliError(`Unknown command: ${name}.${question} ${HELP_HINT}`);
}

async function runDlq(values: Arguments): Promise<number> {
  return (await import("./dlq.ts")).runDlqCommand(values);
}

function print({ json }: Arguments, output: CommandOutput): undefined {
  if (json) printJson(output);
  else for (const [name, value] of Object.entries(output)) printLine(`${name}: ${value ?? "none"}`);
}
