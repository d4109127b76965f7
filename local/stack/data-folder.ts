import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { LocalRefusal } from "../support/settings-error.ts";

/** Everything a stack writes into its data folder, so that a fresh start takes away this and nothing else. */
const managedFiles = [
  "cdk.out",
  "clock.json",
  "dynamodb",
  "emulators",
  "environment.json",
  "functions.log",
  "local.json",
  "platform-secrets.json",
  "provisioned.json",
  "seed.json",
  "simulator.json",
] as const;

export interface DataFolder {
  readonly path: string;
  at(name: (typeof managedFiles)[number]): string;
  release(): void;
}

/**
 * Takes a data folder for this process alone. A lock left behind by a process that is gone is taken over; one whose
 * process lives is a LocalRefusal. With `fresh`, what an earlier stack wrote there is removed first.
 */
export function lockDataFolder(folder: string, fresh: boolean): DataFolder {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true });
  const lock = join(path, "lock");
  acquireLock(lock, path);
  if (fresh) for (const name of managedFiles) rmSync(join(path, name), { recursive: true, force: true });
  return {
    path,
    at: (name) => join(path, name),
    release: () => rmSync(lock, { force: true }),
  };
}

interface LockOwner {
  readonly pid: number;
  /** When the process began, in the kernel's own count: a pid alone may be used again. Absent where it cannot be had. */
  readonly began?: string;
}

function acquireLock(lock: string, folder: string): void {
  for (let attempt = 0; attempt < 3; attempt++) {
    if (writeLock(lock)) return;
    const owner = readLockOwner(lock);
    if (owner && isAlive(owner)) {
      throw new LocalRefusal(
        `A local stack (process ${owner.pid}) is using ${folder}: stop it, or name another folder with --data.`,
      );
    }
    removeStale(lock);
  }
  throw new LocalRefusal(`Several stacks are starting on ${folder} at once: start one.`);
}

/** False when the lock is there already. Linked into place, so that nobody ever reads half a lock. */
function writeLock(lock: string): boolean {
  const temporary = `${lock}.${process.pid}.own`;
  const { began } = readProcess(process.pid);
  const owner: LockOwner = { pid: process.pid, ...(began === undefined ? {} : { began }) };
  writeFileSync(temporary, JSON.stringify(owner));
  try {
    linkSync(temporary, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Moved aside before it is removed, so that of two starts that saw the same stale lock only one takes it away. */
function removeStale(lock: string): void {
  const stalePath = `${lock}.${process.pid}`;
  try {
    renameSync(lock, stalePath);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  rmSync(stalePath, { force: true });
}

function readLockOwner(lock: string): LockOwner | null {
  try {
    const owner = JSON.parse(readFileSync(lock, "utf8")) as LockOwner;
    return Number.isInteger(owner.pid) ? owner : null;
  } catch {
    return null;
  }
}

function isAlive({ pid, began }: LockOwner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const { state, began: currentBegan } = readProcess(pid);
  // A process that nobody has waited for yet still has its number, and does nothing any more.
  if (state === "Z" || state === "X") return false;
  return began === undefined || currentBegan === undefined || began === currentBegan;
}

/** What the kernel says of a process; nothing where there is no /proc. */
function readProcess(pid: number): { state?: string | undefined; began?: string | undefined } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // From field 3 on: the name, field 2, may hold blanks but ends with the last bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], began: fields[19] };
  } catch {
    return {};
  }
}
