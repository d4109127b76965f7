import { join } from "node:path";
import { build as bundle } from "esbuild";
import { compileTypes, packPackage, programOptions } from "./packages/pack.ts";
import { writeSimulatorFiles } from "./packages/page-files.ts";

// `node bin/simulator-package.ts FOLDER` builds the package of the simulator and writes it as a .tgz to the folder. With
// --check it does so in a temporary folder.

await packPackage({ name: "simulator", program: "bin/simulator-package.ts", build });

/** Writes dist with the program, the module, their declarations, the page and the sample files. */
async function build(source: string, folder: string): Promise<void> {
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
