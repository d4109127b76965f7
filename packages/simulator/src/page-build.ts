import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The files of the page that are built, with their sources. */
export const pageBuilds = {
  "page.js": "page.ts",
  "consent.css": "styles/consent.css",
  "page.css": "styles/page.css",
} as const;
export type PageBuild = keyof typeof pageBuilds;

/** Bundles a file of the page for the browser. */
export async function buildPageFile(name: PageBuild): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`./page/${pageBuilds[name]}`, import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    tsconfigRaw: {},
  });
  return outputFiles[0]?.text ?? "";
}
