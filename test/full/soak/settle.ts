import { readTable, type StoredItem } from "../../e2e/support/dump-table.ts";
import { waitUntilIdle } from "../../e2e/support/emulator-journals.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import type { KilledStack } from "./killed-stack.ts";
import type { Platform } from "./platform.ts";

/**
 * How far the clock advances while work is left: over the lease of an attempt whose process was killed, a send's minute,
 * an erasure's later pass and the retries' first waits. In all less than a day, so that the daily check does not make up
 * for a lost attempt.
 */
const ADVANCES = [...Array<string>(8).fill("PT2M"), "PT6M", "PT6M", "PT6M", "PT35M", "PT35M", "PT150M", "PT6H"];
/** After the last work: held messages expire, and their rows are swept. */
const LAST_ADVANCES = ["PT31M", "PT2M"] as const;

/** Lets the stack finish everything. What is left then waits for ever. */
export async function settle(stack: KilledStack, platform: Platform): Promise<void> {
  await deliverWebhooks(platform);
  for (const advance of ADVANCES) {
    const isIdle = await waitUntilIdle(stack.running(), 15).then(
      () => true,
      () => false,
    );
    if (isIdle && !(await readTable(stack.running())).some(isUnfinished)) break;
    await advanceClock(stack, platform, advance);
  }
  for (const advance of LAST_ADVANCES) await advanceClock(stack, platform, advance);
  await waitUntilIdle(stack.running(), 60);
}

/** Advances the stack's clock and the platform's. */
export async function advanceClock(stack: KilledStack, platform: Platform, by: string): Promise<void> {
  await stack.running().clock(by);
  await setPlatformClock(stack, platform);
}

/** Sets the platform's clock to the stack's. */
async function setPlatformClock(stack: KilledStack, platform: Platform): Promise<void> {
  const askedAt = Date.now();
  const now = await stack.running().now();
  const offset = Math.round(now - (askedAt + Date.now()) / 2);
  await platform.control("POST", "/clock", { offset_ms: offset });
}

/** Waits until every webhook of the platform is acknowledged. */
export async function deliverWebhooks(platform: Platform): Promise<void> {
  await waitFor(
    "every webhook is acknowledged",
    async () => {
      await platform.control("POST", "/deliver-now");
      const { pending } = await platform.control<{ pending: unknown[] }>("GET", "/state");
      return pending.length === 0;
    },
    { seconds: 120, everyMs: 300 },
  );
}

/** A delivery, a send or an erasure that something must still finish. */
export function isUnfinished({ PK, SK, st, c }: StoredItem): boolean {
  if (PK.startsWith("D#")) return st === "pending" || st === "retrying" || st === "attempting";
  if (PK.startsWith("QS#")) return true;
  if (PK.startsWith("ER#")) return SK === "R" && c !== undefined;
  return false;
}
