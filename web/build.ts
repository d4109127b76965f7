import { copyFile, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

// node web/build.ts <folder>: the check page as the API serves it.

const page = fileURLToPath(new URL("./check", import.meta.url));

/** Writes index.html, check.css, check.js and solver.js into `folder`, which is made if it is not there. */
export async function buildCheckPage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(page, "check.ts"), join(page, "solver.ts")],
    outdir: folder,
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    logLevel: "warning",
    tsconfigRaw: {},
  });
  for (const name of ["index.html", "check.css"]) await copyFile(join(page, name), join(folder, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error("usage: node web/build.ts <folder>");
  await buildCheckPage(resolve(folder));
}
