import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const project = fileURLToPath(new URL("../../../..", import.meta.url));

export interface PackedClient extends Disposable {
  /** A folder whose `node_modules` has the package as it is published. */
  readonly folder: string;
}

/** Packs the client and installs the package into a temporary folder. */
export function packClient(): PackedClient {
  const folder = mkdtempSync(join(tmpdir(), "parley-packed-"));
  execFileSync(process.execPath, [join(project, "bin/package.ts"), "client", folder], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  const target = join(folder, "node_modules/@parley/client");
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["xzf", join(folder, archive), "--strip-components=1", "-C", target]);
  return {
    folder,
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
