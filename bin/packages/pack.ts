import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../..", import.meta.url));

/** One of the packages that are published. */
export interface PackageBuild {
  /** Its folder in `packages`. */
  readonly name: string;
  /** The program that packs it, for its usage. */
  readonly program: string;
  /** Writes what is published beside package.json, README.md and LICENSE. */
  readonly build: (source: string, folder: string) => Promise<void> | void;
}

/** `node PROGRAM FOLDER` writes the package as a .tgz to the folder. With --check it does so in a temporary folder. */
export async function packPackage({ name, program, build }: PackageBuild): Promise<void> {
  const [target] = process.argv.slice(2);
  if (target === undefined) {
    process.stderr.write(`Missing folder. Run \`node ${program} FOLDER\`, or --check.\n`);
    process.exitCode = 1;
    return;
  }
  const source = join(project, "packages", name);
  const folder = mkdtempSync(join(tmpdir(), `parley-${name}-`));
  try {
    copyDescription(source, folder);
    await build(source, folder);
    const destination = target === "--check" ? folder : resolve(target);
    mkdirSync(destination, { recursive: true });
    process.stdout.write(pack(folder, destination));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the compiler of the repository for the project `folder`. */
export function compileTypes(folder: string, outDir: string): void {
  const declarations = ["--noEmit", "false", "--emitDeclarationOnly", "--declaration", "--stripInternal"];
  const tsc = join(project, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", folder, ...declarations, "--outDir", outDir, "--rewriteRelativeImportExtensions"];
  execFileSync(process.execPath, args, { stdio: "inherit" });
}

function copyDescription(source: string, folder: string): void {
  for (const file of ["package.json", "README.md"]) cpSync(join(source, file), join(folder, file));
  cpSync(join(project, "LICENSE"), join(folder, "LICENSE"));
  const [own, root] = [readPackage(source), readPackage(project)];
  if (own.version !== root.version) throw new Error(`${source}/package.json: the version is not ${root.version}.`);
  const rootVersions = { ...root.dependencies, ...root.devDependencies, ...root.optionalDependencies };
  for (const [name, version] of Object.entries({ ...own.dependencies, ...own.optionalDependencies })) {
    const rootVersion = rootVersions[name];
    if (version !== rootVersion)
      throw new Error(`${source}/package.json: the version of ${name} is not ${rootVersion}.`);
  }
}

type Versions = Readonly<Record<string, string>>;

interface PackageJson {
  readonly version: string;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
}

function readPackage(folder: string): PackageJson {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageJson;
}

/** @returns the name of the file */
function pack(folder: string, destination: string): string {
  const args = ["pack", "--offline", "--ignore-scripts", "--silent", "--pack-destination", destination];
  return execFileSync("npm", args, { cwd: folder, encoding: "utf8" });
}
