import { clock } from "#cli/commands/clock.ts";
import { hold, reply, writeMessage } from "#cli/commands/conversation.ts";
import { listen } from "#cli/commands/listen.ts";
import { scenario } from "#cli/commands/scenario.ts";
import { localTarget } from "#cli/target/target.ts";
import { type Arguments, type CommandOutput, HELP_HINT } from "./arguments.ts";
import { CliError } from "./cli-error.ts";

// The commands of the package `packages/cli` that `npm run admin` has, too. They work on the local stack.

const PROGRAM = "npm run admin --";

/** Forwards or prints the events of the local stack until a signal. */
export async function listenLocally(values: Arguments): Promise<undefined> {
  if (values.positionals.length > 1) throw new CliError(`Unexpected argument: ${values.positionals[1]}. ${HELP_HINT}`);
  return await listen(localTarget(values), values);
}

export async function writeLocalMessage(values: Arguments): Promise<CommandOutput> {
  return await writeMessage(localTarget(), { ...values, program: PROGRAM });
}

export async function replyLocally(values: Arguments): Promise<CommandOutput> {
  return await reply(localTarget(), { ...values, program: PROGRAM });
}

export async function holdLocally(values: Arguments): Promise<CommandOutput> {
  return await hold(localTarget(), { ...values, program: PROGRAM });
}

export async function localClock(values: Arguments): Promise<CommandOutput> {
  return { ...(await clock(values)) };
}

export async function runLocalScenario(values: Arguments): Promise<CommandOutput> {
  return { ...(await scenario(localTarget(), values)) };
}
