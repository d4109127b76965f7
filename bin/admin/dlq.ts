import { redrivePorts } from "../../functions/admin/redrive-ports.ts";
import { env, type QueueName, queues, queueUrlNames } from "../../shared/config/names.ts";
import { optionalSetting } from "../../shared/config/settings.ts";
import { lookInto } from "../../shared/flows/dead-letters/inspect.ts";
import { listDeadLetters } from "../../shared/flows/dead-letters/list.ts";
import { type Redriven, redrive, redriveQueue } from "../../shared/flows/dead-letters/redrive.ts";
import type { RedrivePorts } from "../../shared/flows/ports.ts";
import { isUlid } from "../../shared/kernel/ids.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import type { KeptLetter } from "../../shared/stores/dead-letters/quarantine.ts";
import { type Arguments, USAGE } from "./arguments.ts";
import { surroundings } from "./deployment.ts";
import { letterView, lookView, type RedriveView, redriveView } from "./dlq-views.ts";
import { explained, listed, redriven } from "./dlq-words.ts";
import { Unable } from "./unable.ts";

const LISTED = 50;
const LISTED_MAX = 1_000;

type Printed = { readonly view: object; readonly text: string; readonly code: 0 | 1 };

interface Here {
  readonly ports: RedrivePorts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Millis;
}

/**
 * `dlq list`, `explain` and `redrive`: what was set aside, and sending it again. Prints words, or with `--json` one
 * object; never what a message says.
 * @returns the exit code: 1 when something that was to be redriven was not
 * @throws Unable for a wish that makes no sense
 */
export async function deadLetters(values: Arguments): Promise<0 | 1> {
  const command = commands[values.words[1] ?? ""];
  if (!command) throw new Unable(USAGE);
  const check = command(values);
  const { environment, now } = await surroundings();
  const { view, text, code } = await check({ ports: redrivePorts(environment), environment, now });
  process.stdout.write(`${values.json ? JSON.stringify(view) : text}\n`);
  return code;
}

/** Each checks what it was asked before anything is asked for. */
const commands: Readonly<Record<string, (values: Arguments) => (here: Here) => Promise<Printed>>> = {
  list: (values) => {
    if (values.words.length > 2) throw new Unable(USAGE);
    const wanted = { queues: queuesOf(values), limit: limitOf(values.limit), redriven: values.all };
    return async ({ ports, now }) => {
      const { letters, more } = await listDeadLetters(ports, wanted, now());
      const views = letters.map((letter) => letterView(letter, now()));
      return { view: { dead_letters: views, more }, text: listed(views, more), code: 0 };
    };
  },

  explain: (values) => {
    const [, , id, ...rest] = values.words;
    if (id === undefined || rest.length > 0) throw new Unable(USAGE);
    return async ({ ports, now }) => {
      const letter = await letterOf(ports, id, now());
      if (!letter) throw new Unable(`There is no dead letter ${id}. They are kept for 7 days.`);
      const found = await lookInto(ports, letter, now());
      const view = lookView(letter, found, now());
      return { view, text: explained(view), code: 0 };
    };
  },

  redrive: (values) => {
    const ids = [...new Set(values.words.slice(2))];
    const ways = [ids.length > 0, values.queue !== undefined, values.all].filter(Boolean);
    if (ways.length !== 1) throw new Unable("Say what to redrive: ids, --queue NAME, or --all.");
    const all = queuesOf(values);
    return async ({ ports, environment, now }) => {
      const done =
        ids.length > 0
          ? await redriveIds(ports, environment, ids, now)
          : await redriveAll(ports, environment, all, now);
      const view = redriveView(done.results, done.unknown);
      return { view, text: redriven(view), code: allDone(view) ? 0 : 1 };
    };
  },
};

async function letterOf(ports: RedrivePorts, id: string, now: Millis): Promise<KeptLetter | null> {
  return isUlid(id) ? ports.quarantine.find(id, now) : null;
}

interface Done {
  readonly results: readonly Redriven[];
  readonly unknown: readonly string[];
}

async function redriveIds(
  ports: RedrivePorts,
  environment: Here["environment"],
  ids: readonly string[],
  now: () => Millis,
): Promise<Done> {
  const letters: KeptLetter[] = [];
  const unknown: string[] = [];
  for (const id of ids) {
    const letter = await letterOf(ports, id, now());
    if (letter) letters.push(letter);
    else unknown.push(id);
  }
  mustKnow(
    letters.map(({ queue }) => queue),
    environment,
  );
  const results: Redriven[] = [];
  for (const letter of letters) results.push(await redrive(ports, letter, now));
  return { results, unknown };
}

async function redriveAll(
  ports: RedrivePorts,
  environment: Here["environment"],
  wanted: readonly QueueName[],
  now: () => Millis,
): Promise<Done> {
  mustKnow(wanted, environment);
  const results: Redriven[] = [];
  for (const queue of wanted) {
    for await (const some of redriveQueue(ports, queue, now)) results.push(...some);
  }
  return { results, unknown: [] };
}

/** Said before anything is sent. */
function mustKnow(wanted: readonly QueueName[], environment: Here["environment"]): void {
  const missing = [...new Set(wanted)].filter((queue) => !optionalSetting(queueUrlNames[queue], environment));
  if (missing.length === 0) return;
  const names = missing.map((queue) => env[queueUrlNames[queue]]).join(", ");
  throw new Unable(`Set ${names}: where to send dead letters again. docs/deploy.md says where to find it.`);
}

function queuesOf({ queue }: Arguments): readonly QueueName[] {
  if (queue === undefined) return queues;
  const found = queues.find((name) => name.toLowerCase() === queue.toLowerCase());
  if (found) return [found];
  throw new Unable(`There is no queue ${queue}: --queue is ${queues.join(", ")}.`);
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return LISTED;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= LISTED_MAX) return limit;
  throw new Unable(`--limit is a number from 1 to ${LISTED_MAX}.`);
}

function allDone({ refused, failed, unknown }: RedriveView): boolean {
  return refused + failed + unknown === 0;
}
