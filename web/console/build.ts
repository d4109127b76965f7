import { execFile, execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

// Usage: node web/console/build.ts <folder> [small|fast]

const script = fileURLToPath(import.meta.url);
const root = dirname(script);

type Compression = "small" | "fast";
const brotliQualities: Readonly<Record<Compression, number>> = { small: 11, fast: 5 };

/**
 * Writes the console as the Web function serves it: index.html, its scripts, styles and font in `assets`, each with a hash
 * of its content in its name, and licenses.txt. Beside each, unless it is a font, stand its copies for Brotli (`.br`) and
 * gzip (`.gz`). Rejects with the output of the build if it fails.
 * @param compression "fast" saves most of the time, for copies that are a tenth larger
 */
export async function buildConsole(folder: string, compression: Compression = "small"): Promise<void> {
  await promisify(execFile)(process.execPath, [script, folder, compression], { env: buildEnv() });
}

/** The same, for a caller that cannot wait. Throws with the output of the build if it fails. */
export function buildConsoleSync(folder: string): void {
  execFileSync(process.execPath, [script, folder], { env: buildEnv(), stdio: ["ignore", "ignore", "pipe"] });
}

/** A process of its own: Vite reads NODE_ENV, and anything but "production" includes the checks of development. */
function buildEnv(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_ENV: "production" };
}

async function build(folder: string, compression: Compression): Promise<void> {
  const vite = await import("vite");
  await vite.build({
    root,
    base: "/app/",
    configFile: false,
    envDir: false,
    publicDir: false,
    // Its warnings are about directives of packages for servers.
    logLevel: "error",
    worker: { format: "es" },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2023",
      // The policy of the page allows no `data:` URL.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      license: { fileName: LICENSES },
      // What the page needs first is one script: its parts, shared with the pages that are fetched later, would be larger together.
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: "console", tags: ["$initial"] }] } } },
    },
  });
  writeFileSync(join(folder, LICENSES), `${readFileSync(join(folder, LICENSES), "utf8").trim()}\n\n${fontLicense()}`);
  const names = [...readdirSync(folder), ...readdirSync(join(folder, "assets")).map((name) => join("assets", name))];
  await Promise.all(
    names
      .filter((name) => COMPRESSED.test(name))
      .map((name) => compress(join(folder, name), brotliQualities[compression])),
  );
}

const LICENSES = "licenses.txt";
const COMPRESSED = /\.(html|js|css|svg|txt)$/;

/** Vite lists the packages of the scripts alone. */
function fontLicense(): string {
  const file = createRequire(import.meta.url).resolve("@fontsource-variable/inter/LICENSE");
  return `## Inter\n\n${readFileSync(file, "utf8")}`;
}

async function compress(file: string, quality: number): Promise<void> {
  const body = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(body, { params }),
    promisify(gzip)(body, { level: 9 }),
  ]);
  writeFileSync(`${file}.br`, br);
  writeFileSync(`${file}.gz`, gz);
}

if (process.argv[1] === script) {
  const [folder, compression = "small"] = process.argv.slice(2);
  if (folder === undefined || (compression !== "small" && compression !== "fast")) {
    throw new Error("Usage: node web/console/build.ts <folder> [small|fast]");
  }
  await build(resolve(folder), compression);
}
