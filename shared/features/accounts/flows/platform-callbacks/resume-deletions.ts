import { newUlid } from "#base/kernel/ids.ts";
import { DATA_DELETION_OVERDUE } from "#base/kernel/limits.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import { encodeAccountTask } from "../../queue.ts";
import type { DueDeletion } from "../../store/data-deletions.ts";
import type { ResumeDeletionsPorts } from "./ports.ts";

const CONCURRENCY = 10;

/**
 * Queues the erasing of each account of a data deletion that is due: at its start, and again when nothing has worked on
 * it for half an hour. A row's next due time is stored before its message is sent: if this process dies in between, a
 * later sweep continues. A new run replaces the earlier ones. Ends the data deletions that have no account left.
 * @param hasTime whether there is time for another page
 */
export async function resumeDataDeletions(
  ports: ResumeDeletionsPorts,
  now: Millis,
  hasTime: () => boolean = () => true,
): Promise<void> {
  let accounts = 0;
  for await (const page of ports.dataDeletions.listDue(now)) {
    if (!hasTime()) break;
    await forEachConcurrent(page, CONCURRENCY, async (due) => {
      if (await resume(ports, due, now)) accounts++;
    });
  }
  if (accounts > 0) ports.log({ event: "data_deletions.continued", accounts });
}

/** @returns whether an account was queued */
async function resume(
  { dataDeletions, accountWork }: ResumeDeletionsPorts,
  due: DueDeletion,
  now: Millis,
): Promise<boolean> {
  const dueAt = now + DATA_DELETION_OVERDUE;
  if (due.kind === "status") {
    await dataDeletions.finish(due.code, now);
    await dataDeletions.postponeStatus(due, dueAt);
    return false;
  }
  const { code, tenant, account } = due;
  const run = newUlid(now);
  if (!(await dataDeletions.claim(due, { run, dueAt }))) return false;
  const task = { op: "erase_conversations", tenant, account, code, run, after: null, erased: false } as const;
  await accountWork.send({ body: encodeAccountTask(task), group: tenant });
  return true;
}
