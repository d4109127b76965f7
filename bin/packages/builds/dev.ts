import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundle } from "esbuild";
import { synthesize } from "../../../lib/app.ts";
import { readBundleSources, startBundling } from "../../../lib/bundles/bundle-functions.ts";
import { assemblyContext } from "../../../local/stack/stack.ts";
import { programOptions } from "../pack.ts";
import { packageFolders } from "../package-folders.ts";
import { writeMailboxPage, writeSimulatorFiles } from "../page-files.ts";

const project = fileURLToPath(new URL("../../..", import.meta.url));

/** Packages written for CommonJS call `require` for Node's own modules. An ES module has no `require`. */
const REQUIRE = 'import{createRequire as makeRequire}from"node:module";const require=makeRequire(import.meta.url);';

/** Writes dist with the local stack, the templates, the bundles of the functions, and the pages. It needs no other package. */
export async function build(_source: string, folder: string): Promise<void> {
  const dist = join(folder, "dist");
  const inputs = await bundleStack(dist);
  await writeAssembly(join(dist, "assembly"));
  await writeSimulatorFiles(dist);
  await writeMailboxPage(dist);
  const ofFunctions = Object.values(readBundleSources()).flatMap((sources) => sources.inputs);
  writeFileSync(join(dist, "licenses.txt"), licenses([...inputs, ...ofFunctions]));
}

/** @returns the paths of the bundled files, from the project */
async function bundleStack(dist: string): Promise<readonly string[]> {
  const options = {
    ...programOptions,
    absWorkingDir: project,
    outdir: dist,
    entryNames: "[name]",
    minify: true,
    metafile: true,
    // undici's own switch that leaves out its experimental parser.
    define: { esbuildDetection: "1" },
  } as const;
  const stack = await bundle({
    ...options,
    entryPoints: ["local/dev/index.ts", "local/dev/main.ts"],
    // In one folder, beside the files that the modules read.
    splitting: true,
    chunkNames: "[name]-[hash]",
    banner: { js: REQUIRE },
    // The pages are built: nothing loads what builds them.
    external: ["*/page-build.ts", "esbuild"],
  });
  const sandbox = await bundle({ ...options, entryPoints: ["packages/local-aws/src/lambda/sandbox-entry.ts"] });
  chmodSync(join(dist, "main.js"), 0o755);
  return [stack, sandbox].flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

/** Writes the templates with the settings of a local stack, and the bundles that they name. */
async function writeAssembly(assembly: string): Promise<void> {
  const outdir = mkdtempSync(join(tmpdir(), "parley-dev-"));
  try {
    synthesize({ outdir, context: assemblyContext(), bundles: await startBundling(join(outdir, "bundles")) });
    // The other files are for a deployment.
    const parts = readdirSync(outdir).filter((name) => name.endsWith(".template.json") || name.startsWith("asset."));
    for (const name of parts) cpSync(join(outdir, name), join(assembly, name), { recursive: true });
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** The license texts of what is bundled. Throws for a package without one. */
function licenses(inputs: readonly string[]): string {
  const sections = packageFolders(inputs).map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(project, path, "package.json"), "utf8")) as Record<
      string,
      string
    >;
    const file = readdirSync(join(project, path)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? `License: ${license}` : readFileSync(join(project, path, file), "utf8").trim();
    if (license === undefined) throw new Error(`${path}/package.json names no license.`);
    return `## ${name} - ${version} (${license})\n\n${text}\n`;
  });
  return sections.join("\n");
}
