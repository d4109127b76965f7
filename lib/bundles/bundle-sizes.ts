import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type FunctionName, functions } from "#base/config/names.ts";
import { stacks } from "../config/stack-names.ts";

interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Properties?: { readonly Code?: { readonly S3Key?: unknown } } }>
  >;
}

/**
 * The unpacked size of each function's bundle in bytes. Throws an Error if the assembly is missing or was written
 * without bundling.
 */
export function bundleBytes(outdir: string): Record<FunctionName, number> {
  const folders = Object.entries(bundleFolders(outdir));
  return Object.fromEntries(folders.map(([name, folder]) => [name, folderBytes(folder)])) as Record<
    FunctionName,
    number
  >;
}

/** The folder of each function's bundle in a cloud assembly. Throws an Error if the assembly or a bundle is missing. */
export function bundleFolders(outdir: string): Record<FunctionName, string> {
  const file = join(outdir, `${stacks.service}.template.json`);
  const template: Template = JSON.parse(readFileSync(file, "utf8"));
  const folders = functions.map((name) => [name, join(outdir, assetFolder(template, name))] as const);
  return Object.fromEntries(folders) as Record<FunctionName, string>;
}

/** The template names the archive. The assembly holds its content as a folder until the CDK uploads it. */
function assetFolder(template: Template, name: FunctionName): string {
  const archive = template.Resources[name]?.Properties?.Code?.S3Key;
  if (typeof archive !== "string") throw new Error(`No code for ${name} in the template. Synthesize with bundling.`);
  return `asset.${archive.replace(/\.zip$/, "")}`;
}

/** The bytes of all files below a folder. */
export function folderBytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
