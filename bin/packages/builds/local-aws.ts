import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import { compileTypes, programOptions } from "../pack.ts";
import { writeMailboxPage } from "../page-files.ts";

/** Writes dist with the program, the module, their declarations and the entry of the sandboxes. */
export async function build(source: string, folder: string): Promise<void> {
  const [src, dist] = [join(source, "src"), join(folder, "dist")];
  const { dependencies } = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const options = {
    outdir: dist,
    ...programOptions,
  } as const;
  await bundle({
    ...options,
    entryPoints: [join(src, "index.ts"), join(src, "main.ts")],
    // In one folder, beside the entry of the sandboxes.
    splitting: true,
    chunkNames: "[name]-[hash]",
    // The mailbox page is built: nothing loads what builds it.
    external: [...Object.keys(dependencies), "*/page-build.ts"],
  });
  await bundle({ ...options, entryPoints: [join(src, "lambda/sandbox-entry.ts")] });
  await writeMailboxPage(dist);
  compileTypes(source, join(dist, "types"));
}
