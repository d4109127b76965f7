import { join } from "node:path";
import { bundleNeutralModule, compileTypes, packPackage } from "./packages/pack.ts";

// `node bin/client-package.ts FOLDER` builds the package of the client and writes it as a .tgz to the folder. With --check
// it does so in a temporary folder.

await packPackage({ name: "client", program: "bin/client-package.ts", build });

/** Writes dist with one module and its declarations. */
function build(source: string, folder: string): void {
  bundleNeutralModule(source, folder);
  compileTypes(source, join(folder, "dist"));
}
