import { chmodSync } from "node:fs";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import { programOptions } from "../pack.ts";

/** Writes dist with the program `parley`, which contains what it uses of the client. */
export async function build(source: string, folder: string): Promise<void> {
  const program = join(folder, "dist/main.js");
  await bundle({
    entryPoints: [join(source, "src/main.ts")],
    outfile: program,
    ...programOptions,
  });
  chmodSync(program, 0o755);
}
