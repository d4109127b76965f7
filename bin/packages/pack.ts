import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

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
export async function packPackage({ name, program, build }: PackageBuild, target: string | undefined): Promise<void> {
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

/** How the programs of packages are bundled: for the oldest Node.js that they run on. */
export const programOptions = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node22",
  charset: "utf8",
  logLevel: "warning",
  tsconfigRaw: {},
} as const;

/** Bundles the module of a package for every runtime: Node.js, Workers and browsers. */
export function bundleNeutralModule(source: string, folder: string): void {
  buildSync({
    entryPoints: [join(source, "src/index.ts")],
    outfile: join(folder, "dist/index.js"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    charset: "utf8",
    logLevel: "warning",
    tsconfigRaw: {},
  });
}

/** Runs the compiler of the repository for the project `folder`. */
export function compileTypes(folder: string, outDir: string): void {
  const declarations = ["--noEmit", "false", "--emitDeclarationOnly", "--declaration", "--stripInternal"];
  const tsc = join(project, "node_modules/typescript-native/bin/tsc");
  const args = [tsc, "-p", folder, ...declarations, "--outDir", outDir, "--rewriteRelativeImportExtensions"];
  execFileSync(process.execPath, args, { stdio: "inherit" });
}

function copyDescription(source: string, folder: string): void {
  const [own, root] = [readPackage(source), readPackage(project)];
  cpSync(join(source, "README.md"), join(folder, "README.md"));
  cpSync(join(project, "LICENSE"), join(folder, "LICENSE"));
  copyChangelog(source, folder, own.version);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...own, ...repository(source) }, null, 2)}\n`);
  if (own.version !== root.version) throw new Error(`${source}/package.json: the version is not ${root.version}.`);
  const rootVersions = { ...root.dependencies, ...root.devDependencies, ...root.optionalDependencies };
  for (const [name, version] of Object.entries({ ...own.dependencies, ...own.optionalDependencies })) {
    const rootVersion = rootVersions[name];
    if (version !== rootVersion)
      throw new Error(`${source}/package.json: the version of ${name} is not ${rootVersion}.`);
  }
}

/** A package with a change log says what its version changes, or what comes with the next one. */
function copyChangelog(source: string, folder: string, version: string): void {
  const file = join(source, "CHANGELOG.md");
  if (!existsSync(file)) return;
  if (!readFileSync(file, "utf8").split("\n").includes(`## ${version}`))
    throw new Error(`${file}: missing the section "## ${version}".`);
  cpSync(file, join(folder, "CHANGELOG.md"));
}

/**
 * Where the source is, which npm compares with the provenance of a package that a workflow of GitHub publishes. Its
 * variables name it, because each operator's copy of the repository has another address.
 */
function repository(source: string): object {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  if (!server || !name) return {};
  return { repository: { type: "git", url: `git+${server}/${name}.git`, directory: relative(project, source) } };
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
