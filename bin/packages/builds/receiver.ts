import { join } from "node:path";
import { bundleNeutralModule, compileTypes } from "../pack.ts";

/** Writes dist with one module, which contains what it uses of the client, and the declarations of both. */
export function build(source: string, folder: string): void {
  bundleNeutralModule(source, folder);
  compileTypes(source, join(folder, "dist/types"));
}
