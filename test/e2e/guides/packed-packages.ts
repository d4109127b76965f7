import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../docs/markdown.ts";

/** How each package is packed, by its name on npm. */
const programs = {
  "@parley/client": ["bin/package.ts", "client"],
  "@parley/cli": ["bin/package.ts", "cli"],
  "@parley/dev": ["bin/package.ts", "dev"],
} as const;

export interface PackedPackages extends Disposable {
  /** The file of each package, as it is published. */
  readonly archives: Readonly<Record<string, string>>;
}

/** Packs packages into a temporary folder. */
export function packPackages(...names: readonly (keyof typeof programs)[]): PackedPackages {
  const folder = mkdtempSync(join(tmpdir(), "parley-packages-"));
  const archives = names.map((name) => {
    const [program, ...args] = programs[name];
    const output = execFileSync(process.execPath, ["--no-warnings", join(PROJECT, program), ...args, folder], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    return [name, join(folder, output.trim())] as const;
  });
  return {
    archives: Object.fromEntries(archives),
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
