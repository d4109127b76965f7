import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

// `node bin/client-package.ts FOLDER` builds the package of the client and writes it as a .tgz to the folder. With --check
// it does so in a temporary folder.

const project = fileURLToPath(new URL("..", import.meta.url));
const source = join(project, "packages/client");

const [target] = process.argv.slice(2);
if (target === undefined) {
  process.stderr.write("Missing folder. Run `node bin/client-package.ts FOLDER`, or --check.\n");
  process.exitCode = 1;
} else {
  const work = mkdtempSync(join(tmpdir(), "parley-client-"));
  try {
    buildPackage(work);
    const destination = target === "--check" ? work : resolve(target);
    mkdirSync(destination, { recursive: true });
    process.stdout.write(pack(work, destination));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Writes what is published: package.json, README.md, LICENSE and dist with one module and its declarations. */
function buildPackage(folder: string): void {
  for (const file of ["package.json", "README.md"]) cpSync(join(source, file), join(folder, file));
  cpSync(join(project, "LICENSE"), join(folder, "LICENSE"));
  const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { version: string };
  const packageJson = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as { version: string };
  if (packageJson.version !== version) throw new Error(`packages/client/package.json: the version is not ${version}.`);
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
  const declarations = ["--noEmit", "false", "--emitDeclarationOnly", "--declaration", "--stripInternal"];
  const outDir = ["--outDir", join(folder, "dist"), "--rewriteRelativeImportExtensions"];
  const tsc = join(project, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", source, ...declarations, ...outDir], { stdio: "inherit" });
}

/** @returns the name of the file */
function pack(folder: string, destination: string): string {
  const args = ["pack", "--offline", "--ignore-scripts", "--silent", "--pack-destination", destination];
  return execFileSync("npm", args, { cwd: folder, encoding: "utf8" });
}
