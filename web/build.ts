import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

// Usage: node web/build.ts <folder>

const page = fileURLToPath(new URL("./check", import.meta.url));

/** Writes the check page as the Verify function serves it: index.html, check.css, check.js and solver.js. */
export function buildCheckPage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  buildSync({
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
  for (const name of ["index.html", "check.css"]) copyFileSync(join(page, name), join(folder, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error("Usage: node web/build.ts <folder>");
  buildCheckPage(resolve(folder));
}
