import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A package of `package-lock.json`. */
export interface LockedPackage {
  /** Its folder, such as `node_modules/zod`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  /** Only development needs it: nothing of it is deployed. */
  readonly dev?: boolean;
}

/** The packages that an installation may have, those of every platform. @param base the folder of the lock file */
export function lockedPackages(base: string): readonly LockedPackage[] {
  const { packages } = JSON.parse(readFileSync(join(base, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Omit<LockedPackage, "path" | "name"> & { readonly name?: string }>>;
  };
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, entry]) => ({ ...entry, path, name: entry.name ?? (path.split("node_modules/").at(-1) as string) }));
}
