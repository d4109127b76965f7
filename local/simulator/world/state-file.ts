import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { emptyState, type State } from "./model.ts";

/** Reads a kept state; a path that does not exist yet gives an empty one. Throws when the file is not a state. */
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
      return { ...emptyState(), ...stored } as State;
    }
  } catch {
    // Said below, together with the other way a file can be wrong.
  }
  throw new Error(`${path} is not a state of the platform simulator: move it away, or name another file`);
}

/** Replaces the file as a whole: a reader, or a restart after a crash, sees the old state or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
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
 * Keeps a state on disk. `save()` resolves when a write that began after the call has ended,
 * so whatever was changed before the call is kept; calls made during a write share the next one.
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
