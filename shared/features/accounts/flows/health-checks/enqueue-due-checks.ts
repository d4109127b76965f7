import type { Millis } from "#base/kernel/time.ts";
import type { DueCheckPorts } from "../../ports.ts";
import { encodeAccountTask } from "../../queue.ts";
import { checkDelay } from "../../rules/accounts.ts";

/**
 * Enqueues the checks that are due, each with a delay of up to 15 minutes that its account's key determines: accounts that
 * are due together are not checked together. A check stays due until it has a result, so that nothing is lost.
 * @param hasTime whether there is time for another page
 */
export async function enqueueDueChecks(ports: DueCheckPorts, now: Millis, hasTime: () => boolean): Promise<void> {
  let checks = 0;
  for await (const page of ports.accountChecks.listDue(now)) {
    if (!hasTime()) break;
    await ports.accountWork.sendAll(
      page.map(({ tenant, account, dueAt }) => ({
        body: encodeAccountTask({ op: "check", tenant, account, dueAt }),
        group: tenant,
        delay: checkDelay(account),
      })),
    );
    checks += page.length;
  }
  ports.log({ event: "account_checks.queued", checks });
}
