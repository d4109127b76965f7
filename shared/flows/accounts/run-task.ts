import type { Millis } from "../../kernel/time.ts";
import type { AccountTask } from "../../queues/accounts.ts";
import { drop, type RecordOutcome } from "../record-outcome.ts";
import type { AccountTaskPorts } from "./ports.ts";

/** The clock of an invocation, and when it ends. */
export interface TaskTime {
  readonly now: () => Millis;
  readonly endsAt: Millis;
}

/** Runs a task of the accounts queue. Each task is safe to repeat. */
export async function runAccountTask(
  _ports: AccountTaskPorts,
  { op }: AccountTask,
  _time: TaskTime,
): Promise<RecordOutcome> {
  switch (op) {
    case "finish_connect":
    case "let_go":
    case "check":
    case "fill_gap":
    case "erase_conversations":
      return drop("unknown_task");
  }
}
