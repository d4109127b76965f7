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
  readonly dependencies?: Readonly<Record<string, string>>;
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

/** Packages with all that they depend on. A name without an installed package is left out. */
export function lockedClosure(base: string, names: readonly string[]): readonly LockedPackage[] {
  const byPath = new Map(lockedPackages(base).map((entry) => [entry.path, entry]));
  const closure = new Map<string, LockedPackage>();
  const add = (name: string, from: string): void => {
    const path = `${from}node_modules/${name}`;
    const entry = byPath.get(path);
    if (entry === undefined) {
      // Node looks in the folder of the package, then in each folder above it.
      if (from !== "") add(name, from.slice(0, from.lastIndexOf("node_modules/")));
      return;
    }
    if (closure.has(path)) return;
    closure.set(path, entry);
    for (const dependency of Object.keys(entry.dependencies ?? {})) add(dependency, `${path}/`);
  };
  for (const name of names) add(name, "");
  return [...closure.values()];
}
