import { env, type QueueName, queues, queueUrlNames } from "#base/config/names.ts";
import { optionalSetting } from "#base/config/settings.ts";
import { isUlid } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";
import { inspectDeadLetter } from "#features/dead-letters/flows/inspect.ts";
import { listDeadLetters } from "#features/dead-letters/flows/list.ts";
import { type RedriveResult, redriveDeadLetter, redriveQueue } from "#features/dead-letters/flows/redrive.ts";
import type { RedrivePorts } from "#features/dead-letters/ports.ts";
import type { QuarantinedMessage } from "#features/dead-letters/store/quarantine.ts";
import { redrivePorts } from "../../functions/admin/redrive-ports.ts";
import { type Arguments, HELP_HINT } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { resolveTarget } from "./deployment.ts";
import { formatInspection, formatList, formatRedrive } from "./dlq/text.ts";
import { type RedriveJson, toDeadLetterJson, toInspectionJson, toRedriveJson } from "./dlq/views.ts";
import { printJson, printLines } from "./text/print.ts";

const LIST_LIMIT_DEFAULT = 50;
const LIST_LIMIT_MAX = 1_000;

type CommandResult = { readonly view: object; readonly text: string; readonly exitCode: 0 | 1 };

interface CommandContext {
  readonly ports: RedrivePorts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Millis;
}

/**
 * `dlq list`, `explain` and `redrive`. Prints text, or with `--json` one object; never the content of a message.
 * @returns the exit code: 1 when a requested message was not redriven
 * @throws CliError for invalid arguments
 */
export async function runDlqCommand(values: Arguments): Promise<0 | 1> {
  const command = commands[values.positionals[1] ?? ""];
  if (!command) throw new CliError(`Unknown command: dlq. ${HELP_HINT}`);
  const execute = command(values);
  const { environment, now } = await resolveTarget(values);
  const { view, text, exitCode } = await execute({ ports: redrivePorts(environment), environment, now });
  if (values.json) printJson(view);
  else printLines(text);
  return exitCode;
}

/** Each command validates its arguments before it connects to anything. */
const commands: Readonly<Record<string, (values: Arguments) => (context: CommandContext) => Promise<CommandResult>>> = {
  list: (values) => {
    if (values.positionals.length > 2)
      throw new CliError(`Unexpected argument: ${values.positionals[2]}. ${HELP_HINT}`);
    const query = { queues: parseQueues(values), limit: parseLimit(values.limit), redriven: values.all };
    return async ({ ports, now }) => {
      const { letters, more } = await listDeadLetters(ports, query, now());
      const views = letters.map((letter) => toDeadLetterJson(letter, now()));
      return { view: { dead_letters: views, more }, text: formatList(views, more), exitCode: 0 };
    };
  },

  explain: (values) => {
    const [, , id, ...rest] = values.positionals;
    if (id === undefined) throw new CliError("Missing id. dlq list prints the ids.");
    if (rest.length > 0) throw new CliError(`Unexpected argument: ${rest[0]}. ${HELP_HINT}`);
    return async ({ ports, now }) => {
      const letter = await findLetter(ports, id, now());
      if (!letter) throw new CliError(`Dead letter ${id} not found. Dead letters are stored for 7 days.`);
      const inspection = await inspectDeadLetter(ports, letter, now());
      const view = toInspectionJson(letter, inspection, now());
      return { view, text: formatInspection(view), exitCode: 0 };
    };
  },

  redrive: (values) => {
    const ids = [...new Set(values.positionals.slice(2))];
    const selectors = [ids.length > 0, values.queue !== undefined, values.all].filter(Boolean);
    if (selectors.length !== 1) throw new CliError("Missing selection. Name ids, --queue NAME or --all.");
    const selectedQueues = parseQueues(values);
    return async ({ ports, environment, now }) => {
      const summary =
        ids.length > 0
          ? await redriveIds(ports, environment, ids, now)
          : await redriveAll(ports, environment, selectedQueues, now);
      const view = toRedriveJson(summary.results, summary.unknownIds);
      return { view, text: formatRedrive(view), exitCode: allRedriven(view) ? 0 : 1 };
    };
  },
};

async function findLetter(ports: RedrivePorts, id: string, now: Millis): Promise<QuarantinedMessage | null> {
  return isUlid(id) ? ports.quarantine.get(id, now) : null;
}

interface RedriveSummary {
  readonly results: readonly RedriveResult[];
  readonly unknownIds: readonly string[];
}

async function redriveIds(
  ports: RedrivePorts,
  environment: CommandContext["environment"],
  ids: readonly string[],
  now: () => Millis,
): Promise<RedriveSummary> {
  const letters: QuarantinedMessage[] = [];
  const unknownIds: string[] = [];
  for (const id of ids) {
    const letter = await findLetter(ports, id, now());
    if (letter) letters.push(letter);
    else unknownIds.push(id);
  }
  requireQueueUrls(
    letters.map(({ queue }) => queue),
    environment,
  );
  const results: RedriveResult[] = [];
  for (const letter of letters) results.push(await redriveDeadLetter(ports, letter, now));
  return { results, unknownIds };
}

async function redriveAll(
  ports: RedrivePorts,
  environment: CommandContext["environment"],
  selectedQueues: readonly QueueName[],
  now: () => Millis,
): Promise<RedriveSummary> {
  requireQueueUrls(selectedQueues, environment);
  const results: RedriveResult[] = [];
  for (const queue of selectedQueues) {
    for await (const batch of redriveQueue(ports, queue, now)) results.push(...batch);
  }
  return { results, unknownIds: [] };
}

/** Checked before anything is sent. */
function requireQueueUrls(requiredQueues: readonly QueueName[], environment: CommandContext["environment"]): void {
  const missing = [...new Set(requiredQueues)].filter((queue) => !optionalSetting(queueUrlNames[queue], environment));
  if (missing.length === 0) return;
  const names = missing.map((queue) => env[queueUrlNames[queue]]).join(", ");
  throw new CliError(`Missing queue URL. Add --stage NAME, or set ${names}. See docs/operate/dead-letters.md.`);
}

function parseQueues({ queue }: Arguments): readonly QueueName[] {
  if (queue === undefined) return queues;
  const match = queues.find((name) => name.toLowerCase() === queue.toLowerCase());
  if (match) return [match];
  throw new CliError(`Unknown queue ${queue}. Use one of ${queues.join(", ")}.`);
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return LIST_LIMIT_DEFAULT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIST_LIMIT_MAX) return limit;
  throw new CliError(`Invalid --limit. Use an integer from 1 to ${LIST_LIMIT_MAX}.`);
}

function allRedriven({ refused, failed, unknown }: RedriveJson): boolean {
  return refused + failed + unknown === 0;
}
