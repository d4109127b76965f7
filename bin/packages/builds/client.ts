import { join } from "node:path";
import { bundleNeutralModule, compileTypes } from "../pack.ts";

/** Writes dist with one module and its declarations. */
export function build(source: string, folder: string): void {
  bundleNeutralModule(source, folder);
  compileTypes(source, join(folder, "dist"));
}
