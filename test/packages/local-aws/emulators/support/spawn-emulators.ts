import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("emulator-process.ts", import.meta.url));

/** Starts the emulators in a separate process. Resolves with their URL. */
export async function spawnEmulators(dataDir: string): Promise<{ url: string; kill(): Promise<void> }> {
  const child = spawn(process.execPath, [script, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const url = await firstLine(child);
  return {
    url,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const chunk of child.stdout ?? []) return String(chunk).trim();
  throw new Error("The emulators exited before they printed their URL.");
}
