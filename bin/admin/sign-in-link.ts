import { optionalSetting } from "#base/config/settings.ts";
import { iso } from "#base/kernel/time.ts";
import { createOperatorLink } from "#features/access/flows/sign-in/operator-link.ts";
import { CLI } from "#features/access/rules/callers.ts";
import { parseEmailAddress } from "#features/access/rules/email-addresses.ts";
import { signInLink } from "#features/access/rules/sign-in-link.ts";
import { operatorLinkPorts } from "../../functions/admin/sign-in-ports.ts";
import { type Arguments, type CommandOutput, HELP_HINT } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { resolveTarget } from "./deployment.ts";

/** Creates a sign-in link for someone who may sign in, without a mail. */
export async function newSignInLink({ positionals, ...values }: Arguments): Promise<CommandOutput> {
  const [, text, extra] = positionals;
  const address = parseEmailAddress(text ?? "");
  if (address === null) throw new CliError("Missing or invalid email address. Add it after sign-in-link.");
  if (extra !== undefined) throw new CliError(`Unexpected argument: ${extra}. ${HELP_HINT}`);
  const { environment, now } = await resolveTarget(values);
  const baseUrl = optionalSetting("baseUrl", environment);
  if (baseUrl === null) {
    throw new CliError(
      "Missing address of the API. Add --stage NAME after a deployment of this version, or set PARLEY_BASE_URL.",
    );
  }
  const link = await createOperatorLink(operatorLinkPorts(environment), {
    address,
    author: CLI,
    now: now(),
  });
  if (link === null) {
    throw new CliError(
      `${address} is no member, invited person or named owner. Name an owner with tenant create or tenant invite-owner.`,
    );
  }
  return {
    email: address,
    link: signInLink(baseUrl, link.token),
    expires_at: iso(link.expiresAt),
    tenants: link.tenants,
  };
}
