import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { type Author, authorName } from "#features/access/rules/callers.ts";
import { deadLetterTenant } from "#features/dead-letters/decode.ts";
import { PASS_INTERVAL } from "#features/erasure/rules/erasures.ts";
import { endAccess } from "#features/realtime/cut-off.ts";
import { journaled } from "#features/recovery/journal.ts";
import { removeUploads } from "#features/uploads/remove-uploads.ts";
import type { DeleteTenantPorts } from "../ports.ts";
import type { DeletedTenant } from "../store/tenant-deletions.ts";
import type { ScanCursor } from "../store/tenant-rows.ts";
import { endTenantSubscriptions } from "./end-subscriptions.ts";

/** The wait after each page of a scan, so that it reads at most 1,024 units per second. */
const PAGE_PAUSE: Millis = SECOND / 4;

interface TenantDeletion {
  readonly tenant: TenantId;
  readonly author: Author;
  readonly time: { readonly now: () => Millis; readonly wait: (duration: Millis) => Promise<void> };
  /** Called after each step. */
  readonly report: (progress: DeletionProgress) => void;
}

/** Of the current pass. */
export interface DeletionProgress {
  /** From 1. */
  readonly pass: number;
  /** Rows of all tenants that were read. */
  readonly scanned: number;
  /** Rows of the tenant that were removed. */
  readonly removed: number;
  /** Whether the pass is complete and another one follows, after a wait. */
  readonly isWaiting: boolean;
}

/**
 * Deletes a tenant with everything that is stored of it. A pass ends the webhooks of its accounts at the platforms. It
 * closes the sockets, removes what gives access and what receives data,
 * then the dead letters, and then what a scan of the table finds. What was in progress when a pass ended may write
 * again, so another pass follows after the longest run of any worker, until one finds nothing. Then only the row is left
 * that keeps the slug taken. Safe to repeat and to kill: a run that continues starts with its first pass.
 * @returns the end of the deletion, also of an earlier run; null when there is no such tenant
 */
export async function deleteTenant(
  ports: DeleteTenantPorts,
  deletion: TenantDeletion,
): Promise<(DeletedTenant & { readonly isNew: boolean }) | null> {
  const { tenant, author, time, report } = deletion;
  const actor = authorName(author);
  const everyone = { tenants: [tenant], includes: () => true };
  const write = () => ports.tenantDeletions.start(tenant, { actor, now: time.now() });
  const act = { kind: "tenant.delete", tenant } as const;
  const start = () => journaled(ports, { act, at: time.now() }, write, (outcome) => outcome === null);
  const state = await endAccess(ports, everyone, start, (outcome) => outcome?.status === "running");
  if (state === null) return null;
  if (state.status === "deleted") return { ...state, isNew: false };
  for (let pass = 1; ; pass++) {
    const removed = await runPass(ports, deletion, pass);
    // The first pass of a run may follow a run that was killed a moment ago.
    if (removed === 0 && pass > 1) break;
    report({ pass, scanned: 0, removed, isWaiting: true });
    await time.wait(PASS_INTERVAL);
  }
  return { ...(await ports.tenantDeletions.finish(tenant, { actor, now: time.now() })), isNew: true };
}

/** @returns the number of rows removed */
async function runPass(
  ports: DeleteTenantPorts,
  { tenant, time, report }: TenantDeletion,
  pass: number,
): Promise<number> {
  await endTenantSubscriptions(ports, tenant, time.now);
  let removed = await ports.tenantDeletions.removeAccess(tenant, time.now());
  removed += await removeDeadLetters(ports, tenant);
  let scanned = 0;
  let cursor: ScanCursor | null = null;
  do {
    const position = { after: cursor, now: time.now() };
    const page = await ports.tenantRows.removePage(tenant, position, async (keys) =>
      removeUploads(ports, await ports.uploadRemovals.load(keys)),
    );
    scanned += page.scanned;
    removed += page.removed;
    cursor = page.next;
    report({ pass, scanned, removed, isWaiting: false });
    if (cursor) await time.wait(PAGE_PAUSE);
  } while (cursor);
  return removed;
}

/** The raw webhooks in the dead letters of `Inbound` name no tenant. They end 7 days after their arrival. */
async function removeDeadLetters({ quarantine }: DeleteTenantPorts, tenant: TenantId): Promise<number> {
  let removed = 0;
  for await (const page of quarantine.listStored()) {
    const letters = page.filter((letter) => deadLetterTenant(letter) === tenant);
    await quarantine.removeAll(letters);
    removed += letters.length;
  }
  return removed;
}
