import { setTimeout as sleep } from "node:timers/promises";
import { atPlace, BadInput, type Fields } from "../http/fields.ts";
import type { World } from "../world/world.ts";
import { withMessageIds } from "./message-ids.ts";
import type { RunStatus, Scenario, ScenarioStep, StepName } from "./model.ts";

/** The account that a scenario acts on, and the person who writes. */
export interface ScenarioTarget {
  account: string;
  connection: string;
  person: string;
}

/** What a step did. */
export interface StepResult {
  do: StepName;
  count: number;
  /** The message of the last action; absent if it is about none. */
  mid?: string;
  /** How many webhooks had each status after their first attempt; absent without webhooks. */
  webhooks?: Record<string, number>;
}

/** Performs a step once, through its control route. */
export type Perform = (name: Exclude<StepName, "wait">, fields: Fields) => Promise<unknown>;

/** Actions of one step at the same time. */
const concurrency = 8;
/** Steps that say which person they are about. */
const personSteps: ReadonlySet<StepName> = new Set(["person-sends", "account-sends", "people"]);

/** Runs scenarios, one at a time. */
export class ScenarioRuns {
  readonly #world: World;
  #status: RunStatus | null = null;
  #stopping = new AbortController();

  constructor(world: World) {
    this.#world = world;
  }

  status(): RunStatus | null {
    return this.#status;
  }

  /** Ends the run before its next action. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Resolves with what each step did, also after a stop. Throws a BadInput if a run goes on or a step is refused. */
  async run(
    { name, scenario, target }: { name: string; scenario: Scenario; target: ScenarioTarget },
    perform: Perform,
  ): Promise<StepResult[]> {
    if (this.#status?.state === "running")
      throw new BadInput(`the scenario ${this.#status.scenario} still runs: wait for its end, or POST /stop-scenario`);
    const of = scenario.steps.reduce((sum, { repeat }) => sum + repeat, 0);
    const status: RunStatus = { scenario: name, title: scenario.title, state: "running", done: 0, of, problem: null };
    this.#status = status;
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const run = new Run(target, perform, signal, () => {
      status.done += 1;
      this.#world.version += 1;
    });
    try {
      const results = await run.steps(scenario.steps);
      status.state = signal.aborted ? "stopped" : "completed";
      return results;
    } catch (error) {
      status.state = "failed";
      status.problem = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      this.#world.version += 1;
    }
  }
}

class Run {
  readonly #mids = new Map<string, string>();
  readonly #target: ScenarioTarget;
  readonly #perform: Perform;
  readonly #signal: AbortSignal;
  readonly #onAction: () => void;

  constructor(target: ScenarioTarget, perform: Perform, signal: AbortSignal, onAction: () => void) {
    this.#target = target;
    this.#perform = perform;
    this.#signal = signal;
    this.#onAction = onAction;
  }

  async steps(steps: readonly ScenarioStep[]): Promise<StepResult[]> {
    const results: StepResult[] = [];
    for (const [at, step] of steps.entries()) {
      if (this.#signal.aborted) break;
      try {
        results.push(await this.#step(step));
      } catch (error) {
        atPlace(`steps[${at}] (${step.do})`, () => {
          throw error;
        });
      }
    }
    return results;
  }

  async #step(step: ScenarioStep): Promise<StepResult> {
    const answers: Fields[] = [];
    let next = 0;
    let failure: unknown;
    const work = async (): Promise<void> => {
      while (next < step.repeat && failure === undefined && !this.#signal.aborted) {
        const number = next;
        next += 1;
        try {
          answers.push(await this.#action(step, number));
          this.#onAction();
        } catch (error) {
          failure ??= error;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, step.repeat) }, work));
    if (failure !== undefined) throw failure;
    const mid = answers.at(-1)?.mid;
    if (step.as !== null && typeof mid === "string") this.#mids.set(step.as, mid);
    const statuses = answers
      .map(({ status_of_webhook: status }) => status)
      .filter((status) => typeof status === "string");
    return {
      do: step.do,
      count: answers.length,
      ...(typeof mid === "string" ? { mid } : {}),
      ...(statuses.length === 0 ? {} : { webhooks: countEach(statuses) }),
    };
  }

  async #action({ do: name, fields, people }: ScenarioStep, number: number): Promise<Fields> {
    if (name === "wait") {
      await sleep(Number(fields.ms), undefined, { signal: this.#signal }).catch(() => undefined);
      return {};
    }
    const { person, ...account } = this.#target;
    const turn = number % people;
    const writer = typeof fields.person === "string" ? fields.person : person;
    const named = personSteps.has(name) ? { person: turn === 0 ? writer : `${writer} ${turn + 1}` } : {};
    const numbered = typeof fields.text === "string" ? { text: fields.text.replaceAll("{n}", String(number + 1)) } : {};
    const filled = { ...withMessageIds(fields, this.#mids), ...numbered };
    return (await this.#perform(name, { ...filled, ...account, ...named })) as Fields;
  }
}

function countEach(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
