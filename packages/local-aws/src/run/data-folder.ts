import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { getSystemErrorMessage } from "node:util";
import { makePrivate, PRIVATE_FILE, PRIVATE_FOLDER } from "../access/private-files.ts";
import { LocalRefusal } from "../support/local-refusal.ts";

export interface DataFolder<Name extends string = string> {
  readonly path: string;
  at(name: Name): string;
  release(): void;
}

export interface DataFolderOptions<Name extends string> {
  readonly folder: string;
  /** True removes the files of earlier starts. */
  readonly fresh: boolean;
  /** Every file and folder that is written into the folder. `fresh` removes these and nothing else. */
  readonly files: readonly Name[];
  /** How the caller chooses the folder, such as `--data`. */
  readonly setting: string;
}

/**
 * Creates a data folder if it is missing, makes its files their owner's alone, and locks it for this process. Takes over
 * the lock of a process that has ended. Throws a LocalRefusal if the lock's process is running, and if the folder cannot
 * be created or written.
 */
export function openDataFolder<Name extends string>(options: DataFolderOptions<Name>): DataFolder<Name> {
  const { folder, fresh, files, setting } = options;
  const path = resolve(folder);
  const lock = join(path, "lock");
  try {
    createFolder(path, setting);
    acquireLock(lock, path);
  } catch (error) {
    if (error instanceof LocalRefusal) throw error;
    const { errno, message } = error as NodeJS.ErrnoException;
    const reason = errno === undefined ? message : getSystemErrorMessage(errno);
    throw new LocalRefusal(`Cannot use the data folder ${path}: ${reason}. Choose another folder with ${setting}.`);
  }
  if (fresh) for (const name of files) rmSync(join(path, name), { recursive: true, force: true });
  makeFolderPrivate(path, files);
  return {
    path,
    at: (name) => join(path, name),
    release: () => rmSync(lock, { force: true }),
  };
}

/** Also for a folder of an earlier version. A folder in which others have files stays open to them. */
function makeFolderPrivate(path: string, files: readonly string[]): void {
  for (const name of files) makePrivate(join(path, name));
  const hasOnlyOwnFiles = readdirSync(path).every((name) => name.startsWith("lock") || isManaged(name, files));
  if (hasOnlyOwnFiles) chmodSync(path, PRIVATE_FOLDER);
}

function isManaged(name: string, files: readonly string[]): boolean {
  return files.some((file) => name === file || name === `${file}.next`);
}

/** Creates the folder and its parents one by one: a recursive mkdir never returns where a file system accepts none. */
function createFolder(path: string, setting: string): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return;
    throw new LocalRefusal(`Data folder ${path} is a file. Choose a folder with ${setting}.`);
  }
  const parent = dirname(path);
  if (!existsSync(parent)) createFolder(parent, setting);
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER });
  } catch (error) {
    // Another start may have created it at the same moment.
    if (!existsSync(path)) throw error;
  }
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
  writeFileSync(temporary, JSON.stringify(owner), { mode: PRIVATE_FILE });
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
