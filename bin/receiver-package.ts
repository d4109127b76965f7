import { join } from "node:path";
import { bundleNeutralModule, compileTypes, packPackage } from "./packages/pack.ts";

// `node bin/receiver-package.ts FOLDER` builds the package of receivers and writes it as a .tgz to the folder. With --check
// it does so in a temporary folder.

await packPackage({ name: "receiver", program: "bin/receiver-package.ts", build });

/** Writes dist with one module, which contains what it uses of the client, and the declarations of both. */
function build(source: string, folder: string): void {
  bundleNeutralModule(source, folder);
  compileTypes(source, join(folder, "dist/types"));
}
