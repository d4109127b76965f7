import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { emptyState, type State } from "./model.ts";

/** Reads a stored state. Returns an empty one if the file does not exist. Throws if the file is not a state. */
export async function readState(path: string): Promise<State> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return emptyState();
    throw error;
  }
  try {
    const stored: unknown = JSON.parse(text);
    if (typeof stored === "object" && stored !== null && "format" in stored && stored.format === 1) {
      const state = { ...emptyState(), ...stored } as State;
      // A webhook of an earlier version names no subscription.
      for (const delivery of state.deliveries) delivery.nodes ??= [];
      // A login code of an earlier version names no scopes.
      state.codes = state.codes.filter(({ scopes }) => scopes !== undefined);
      return state;
    }
  } catch {
    // Invalid JSON gets the same error as an unknown format, below.
  }
  throw new Error(`${path} is not a state of the platform simulator: move it away or choose another file`);
}

/** Replaces the file atomically: a reader, or a restart after a crash, sees the old or the new state. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.next`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/**
 * Saves a state to disk. `save()` resolves when a write that started after the call has ended, so all changes made
 * before the call are stored. Calls during a write share the next write.
 */
export function createStateStore(path: string | undefined, state: State): { save(): Promise<void> } {
  if (path === undefined) return { save: async () => undefined };
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  const write = async (): Promise<void> => replaceFile(path, JSON.stringify(state));
  const start = (): Promise<void> => {
    const write_ = write().finally(() => {
      if (running === write_) running = null;
    });
    running = write_;
    return write_;
  };
  return {
    save() {
      if (running === null) return start();
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = null;
          return start();
        });
      return next;
    },
  };
}
