import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlantedFault } from "./planted-fault.ts";

const notCopied: ReadonlySet<string> = new Set([".git", "node_modules", "cdk.out"]);

/** A copy of the repository in which faults are planted. It uses the repository's `node_modules`. */
export class Workspace {
  readonly directory = mkdtempSync(join(tmpdir(), "parley-planted-"));

  constructor(root: string) {
    for (const name of readdirSync(root)) {
      if (!notCopied.has(name)) cpSync(join(root, name), join(this.directory, name), { recursive: true });
    }
    symlinkSync(join(root, "node_modules"), join(this.directory, "node_modules"));
  }

  /** Runs `action` while the fault stands in the copy. */
  async withFault<T>({ file, search, replacement }: PlantedFault, action: () => Promise<T>): Promise<T> {
    const path = join(this.directory, file);
    const source = readFileSync(path, "utf8");
    writeFileSync(
      path,
      source.replace(search, () => replacement),
    );
    try {
      return await action();
    } finally {
      writeFileSync(path, source);
    }
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
