import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { AWS_CLIENT_VARIABLE } from "../../lib/bundles/aws-client.ts";

/** Everything in the project that a cloud assembly is made from. Installed packages count by their lock file. */
const SOURCES = [
  "docs/concepts.md",
  "docs/errors.md",
  "docs/guides",
  "docs/openapi.json",
  "functions",
  "lib",
  "local/template",
  "node_modules/.package-lock.json",
  "package.json",
  "packages/client/README.md",
  "packages/client/src",
  "package-lock.json",
  "shared",
  "tsconfig.json",
  "web",
];
const ENTRIES_MAX = 5;

/** Cloud assemblies of earlier starts. It is a cache only: a missing or unreadable entry is a miss, never an error. */
export interface AssemblyCache {
  /** Copies an assembly into `outdir`, which must not exist. Returns false, with no `outdir`, on a miss. */
  restore(key: string, outdir: string): boolean;
  /** Stores a copy of `outdir` and removes the entries that were used least recently. */
  store(key: string, outdir: string): void;
}

/** A hash of the content of every source, the CDK context, and everything else of this process that the synthesis reads. */
export function assemblyKey(project: string, context: Readonly<Record<string, string>>): string {
  const hash = createHash("sha256");
  const isRead = (name: string) => name.startsWith("CDK_") || name === AWS_CLIENT_VARIABLE;
  const variables = Object.entries(process.env).filter(([name]) => isRead(name));
  hash.update(JSON.stringify([process.version, Object.entries(context).sort(), variables.sort()]));
  for (const path of SOURCES.flatMap((source) => listFiles(project, source))) {
    const content = readFileSync(join(project, path));
    hash.update(`\n${path} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

function listFiles(project: string, path: string): string[] {
  const root = join(project, path);
  if (!existsSync(root)) return [];
  if (statSync(root).isFile()) return [path];
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(path, entry.parentPath.slice(root.length), entry.name))
    .sort();
}

export function openAssemblyCache(folder: string): AssemblyCache {
  return {
    restore(key, outdir) {
      const entry = join(folder, key);
      try {
        cpSync(entry, outdir, { recursive: true });
        const now = new Date();
        utimesSync(entry, now, now);
        return true;
      } catch {
        rmSync(outdir, { recursive: true, force: true });
        return false;
      }
    },
    store(key, outdir) {
      const temporary = join(folder, `${key}.${process.pid}`);
      try {
        mkdirSync(folder, { recursive: true });
        cpSync(outdir, temporary, { recursive: true });
        // Fails if another start has stored the same assembly.
        renameSync(temporary, join(folder, key));
        prune(folder);
      } catch {
        rmSync(temporary, { recursive: true, force: true });
      }
    },
  };
}

/** Moves an entry away before removing it, so that a start that copies it fails instead of copying a part of it. */
function prune(folder: string): void {
  const usedAt = (name: string): number => statSync(join(folder, name)).mtimeMs;
  const entries = readdirSync(folder).sort((a, b) => usedAt(b) - usedAt(a));
  for (const name of entries.slice(ENTRIES_MAX)) {
    const removedFolder = join(folder, `removed.${process.pid}`);
    renameSync(join(folder, name), removedFolder);
    rmSync(removedFolder, { recursive: true, force: true });
  }
}
