import type { RecordOutcome } from "#base/queues/record-outcome.ts";
import type { AccountTaskPorts, TaskTime } from "../ports.ts";
import type { AccountTask } from "../queue.ts";
import { runReconciliation } from "../reconcile-subscription.ts";
import { runBackfill } from "./backfill/run-backfill.ts";
import { completeDisconnection } from "./disconnection.ts";
import { finishConnect } from "./finish-connect.ts";
import { checkAccountHealth } from "./health-checks/check.ts";
import { eraseAccountConversations } from "./platform-callbacks/erase-conversations.ts";
import type { EraseAccountPorts } from "./platform-callbacks/ports.ts";

/** What all tasks of the accounts queue need. */
export type TaskPorts = AccountTaskPorts & EraseAccountPorts;

/** Runs a task of the accounts queue. Each task is safe to repeat. */
export async function runAccountTask(ports: TaskPorts, task: AccountTask, time: TaskTime): Promise<RecordOutcome> {
  switch (task.op) {
    case "finish_connect":
      return finishConnect(ports, task, time);
    case "disconnect":
      return completeDisconnection(ports, task, time);
    case "check":
      return checkAccountHealth(ports, task, time.now());
    case "reconcile_subscription":
      return runReconciliation(ports, task, time);
    case "backfill":
      return runBackfill(ports, task, time);
    case "erase_conversations":
      return eraseAccountConversations(ports, task, time);
  }
}
