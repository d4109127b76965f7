import { join } from "node:path";
import { build as bundle } from "esbuild";
import { compileTypes, programOptions } from "../pack.ts";
import { writeSimulatorFiles } from "../page-files.ts";

/** Writes dist with the program, the module, their declarations, the page and the sample files. */
export async function build(source: string, folder: string): Promise<void> {
  const [src, dist] = [join(source, "src"), join(folder, "dist")];
  await bundle({
    entryPoints: [join(src, "index.ts"), join(src, "main.ts")],
    outdir: dist,
    // In one folder, beside the files that the modules read.
    splitting: true,
    chunkNames: "[name]-[hash]",
    ...programOptions,
    // The page is built: nothing loads what builds it.
    external: ["*/page-build.ts"],
  });
  await writeSimulatorFiles(dist);
  compileTypes(source, join(dist, "types"));
}
