import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { LocalRefusal } from "../support/local-refusal.ts";

/** Every file and folder that a stack writes into its data folder. `--fresh` removes these and nothing else. */
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
 * Locks a data folder for this process and takes over the lock of a process that has ended. Throws a LocalRefusal if
 * the lock's process is running. With `fresh`, removes the files of earlier stacks.
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
  /** Start time of the process in kernel ticks, because pids are reused. Absent where there is no /proc. */
  readonly began?: string;
}

function acquireLock(lock: string, folder: string): void {
  for (let attempt = 0; attempt < 3; attempt++) {
    if (writeLock(lock)) return;
    const owner = readLockOwner(lock);
    if (owner && isAlive(owner)) {
      throw new LocalRefusal(
        `Data folder ${folder} is in use by a local stack (process ${owner.pid}). Stop it, or choose another folder with --data.`,
      );
    }
    removeStale(lock);
  }
  throw new LocalRefusal(`Data folder ${folder} is being locked by several stacks at once. Start only one.`);
}

/** Returns false if the lock exists. Links the file into place, so that no process reads a partial lock. */
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

/** Renames the lock before removing it, so that only one of two starts that saw the same stale lock removes it. */
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
  // A zombie keeps its pid until its parent waits for it.
  if (state === "Z" || state === "X") return false;
  return began === undefined || currentBegan === undefined || began === currentBegan;
}

/** State and start time of a process from /proc. Empty where there is no /proc. */
function readProcess(pid: number): { state?: string | undefined; began?: string | undefined } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Fields from 3 on. Field 2, the name, may contain spaces and ends with the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], began: fields[19] };
  } catch {
    return {};
  }
}
