import { iso, type Millis } from "#base/kernel/time.ts";
import { type LeakResult, replaceLeakedRoot } from "#features/access/flows/rotation/replace-leaked-root.ts";
import { type RotationResult, rotateRoot } from "#features/access/flows/rotation/rotate-root.ts";
import { rotateVerifyToken } from "#features/access/flows/rotation/rotate-verify-token.ts";
import {
  replaceLeakedRootPorts,
  rotateRootPorts,
  rotateVerifyTokenPorts,
} from "../../functions/admin/rotation-ports.ts";
import type { Environment } from "../../functions/admin/tenant-ports.ts";
import { type Arguments, type CommandOutput, HELP_HINT } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { resolveTarget } from "./deployment.ts";
import { printJson, printLines } from "./text/print.ts";
import { formatTable } from "./text/text-table.ts";

const OVERTAKEN = "Another command changed the secret at the same time. Try again.";

/**
 * Rotates the root secret. With `--leaked` also ends all that it sealed.
 * @returns the exit code: 1 when the rotation needs `--force`
 */
export async function rotateRootSecret(values: Arguments): Promise<0 | 1> {
  requireNoArgument(values);
  const { environment, now } = await resolveTarget(values);
  if (values.leaked) return printLeak(values, environment, now);
  const result = await rotateRoot(rotateRootPorts(environment, now), { isForced: values.force, now: now() });
  if (result.kind === "overtaken") throw new CliError(OVERTAKEN);
  if (result.kind === "too_early") {
    throw new CliError(`The last rotation is not complete. Try again after ${iso(result.sealsFrom)}.`);
  }
  const view = result.kind === "rotated" ? { rotated: true } : toConfirmation(result);
  const text = result.kind === "rotated" ? ROTATED : formatConfirmation(result);
  if (values.json) printJson(view);
  else printLines(text);
  return result.kind === "rotated" ? 0 : 1;
}

async function printLeak(values: Arguments, environment: Environment, now: () => Millis): Promise<0> {
  const ports = replaceLeakedRootPorts(environment, now);
  const result = await replaceLeakedRoot(ports, { isForced: values.force, now: now() });
  if (result.kind === "overtaken") throw new CliError(OVERTAKEN);
  const view = toLeakView(result);
  if (values.json) printJson(view);
  else printLines(formatLeak(view));
  return 0;
}

/** Replaces the verify token of the platform secrets. */
export async function newVerifyToken(values: Arguments): Promise<CommandOutput> {
  requireNoArgument(values);
  const { environment, now } = await resolveTarget(values);
  const verifyToken = await rotateVerifyToken(rotateVerifyTokenPorts(environment), now());
  if (verifyToken === null) throw new CliError(OVERTAKEN);
  return { verify_token: verifyToken };
}

const ROTATED = `The root secret is rotated. Functions use the new one in six minutes; the one before it still opens.
A key moves to the new one with its next request.`;

function toLeakView({ isReplaced, replacedAt, cachedUntil, ended }: Extract<LeakResult, { kind: "ended" }>) {
  const { people, sockets, signInLinks, holds } = ended;
  return {
    rotated: isReplaced,
    replaced_at: iso(replacedAt),
    cached_until: iso(cachedUntil),
    ended: { sessions_of_people: people, sockets, sign_in_links: signInLinks, held_messages: holds },
  };
}

function formatLeak({ rotated, replaced_at, cached_until, ended }: ReturnType<typeof toLeakView>): string {
  const counts = [
    ["people whose sessions ended", ended.sessions_of_people],
    ["sockets of sessions", ended.sockets],
    ["sign-in links", ended.sign_in_links],
    ["held messages", ended.held_messages],
  ] as const;
  return [
    rotated
      ? "The root secret is replaced. Nothing opens that the one before it sealed. API keys stay valid."
      : `The root secret was replaced at ${replaced_at}, by an earlier run, and is not replaced again.`,
    "Ended by this run:",
    ...counts.map(([name, count]) => `  ${name}: ${count}`),
    "Logins in progress, challenges and page cursors have no rows. They ended with the secret.",
    `Until ${cached_until} a function may use the secret that it has cached. Repeat the command after that time.`,
  ].join("\n");
}

type Confirmation = Extract<RotationResult, { kind: "confirm" }>;

function toConfirmation({ keys, sessionsUntil }: Confirmation) {
  return {
    rotated: false,
    keys: keys.map(({ key, tenant }) => ({
      id: key.id,
      tenant,
      prefix: key.prefix,
      last_used_at: key.lastUsedAt === null ? null : iso(key.lastUsedAt),
      label: key.label,
    })),
    sessions_until: sessionsUntil === null ? null : iso(sessionsUntil),
  };
}

function formatConfirmation(result: Confirmation): string {
  const { keys, sessions_until } = toConfirmation(result);
  const rows = keys.map((key) => [
    key.id,
    key.tenant ?? "operator",
    key.prefix,
    key.last_used_at ?? "never",
    key.label,
  ]);
  return [
    "The root secret is not rotated: a second rotation ends what only the version before the current one opens.",
    ...(rows.length > 0 ? ["Keys without a request since the last rotation:"] : []),
    ...(rows.length > 0 ? [formatTable(["ID", "TENANT", "PREFIX", "LAST USED", "LABEL"], rows)] : []),
    ...(sessions_until === null ? [] : [`Sessions from before the last rotation, valid until ${sessions_until}.`]),
    "Add --force to rotate. These keys then get 401; revoke them with key revoke.",
  ].join("\n");
}

function requireNoArgument({ positionals }: Arguments): void {
  if (positionals.length > 2) throw new CliError(`Unexpected argument: ${positionals[2]}. ${HELP_HINT}`);
}
