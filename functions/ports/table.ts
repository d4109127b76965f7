import { setting } from "#base/config/settings.ts";
import { machineNow, SECOND } from "#base/kernel/time.ts";
import { openTable, type Table } from "#base/table/client.ts";
import type { Host } from "../host.ts";

/** The table of a function. Throttled attempts of its own client are counted in a metric, in at most one line a second. */
export function table({ settings, clients, log }: Pick<Host, "settings" | "clients" | "log">): Table {
  let throttled = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return openTable(setting("table", settings), clients.table, () => {
    throttled += 1;
    const now = machineNow();
    // A cap or a hot partition throttles hundreds of attempts a second, and lines are billed.
    if (now - reportedAt < SECOND) return;
    log({ event: "metrics.counted", metrics: { TableThrottles: throttled } });
    [throttled, reportedAt] = [0, now];
  });
}
