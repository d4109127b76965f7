import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import {
  checkPageTexts,
  deletionPageTexts,
  loginStartPageTexts,
  signInPageTexts,
} from "../shared/base/languages/all.ts";
import { buildConsole, buildConsoleSync } from "./console/build.ts";
import { buildDocs } from "./docs/build.ts";
import { writeLocalized } from "./localized.ts";
import { tokensForAll } from "./theme/tokens.ts";

export { buildConsole, buildConsoleSync, buildDocs };

// Usage: node web/build.ts <folder>

const web = fileURLToPath(new URL(".", import.meta.url));

/** Writes the check page as the Verify function serves it: index.en.html and so on, check.css, check.js and solver.js. */
export function buildCheckPage(folder: string): void {
  buildAssets(folder, { source: "check-page", scripts: ["check.ts", "solver.ts"], style: "check.css" });
  writeLocalized(folder, "index", join(web, "check-page", "index.html"), (language) => checkPageTexts[language]);
}

/**
 * Writes the sign-in pages as the Console function serves them, each in every language: index, the same page with other
 * words for a link that no longer works, and confirm, which the function fills; sign-in.css and sign-in.js.
 */
export function buildSignInPage(folder: string): void {
  buildAssets(folder, { source: "sign-in", scripts: ["sign-in.ts"], style: "sign-in.css" });
  const [page, confirm] = [join(web, "sign-in", "index.html"), join(web, "sign-in", "confirm.html")];
  writeLocalized(folder, "index", page, (language) => signInPageTexts[language]);
  writeLocalized(folder, "invalid-link", page, (language) => {
    const texts = signInPageTexts[language];
    return { ...texts, title: texts.invalidTitle, text: texts.invalidText, button: texts.invalidButton };
  });
  writeLocalized(folder, "confirm", confirm, (language) => signInPageTexts[language]);
}

/**
 * Writes the page that asks before a login starts as the Connect function serves it: a page for each language, which the
 * function fills, and style.css.
 */
export function buildLoginStartPage(folder: string): void {
  writePageStyle(folder, "login-start");
  writeLocalized(folder, "index", join(web, "login-start", "index.html"), (language) => loginStartPageTexts[language]);
}

/** Writes the page of a data deletion as the Connect function serves it: a page for each language, which the function fills, and style.css. */
export function buildDataDeletionPage(folder: string): void {
  writePageStyle(folder, "data-deletion");
  writeLocalized(folder, "index", join(web, "data-deletion", "index.html"), (language) => deletionPageTexts[language]);
}

/** Writes the style of a page without a script. @param source its folder in `web` */
function writePageStyle(folder: string, source: string): void {
  mkdirSync(folder, { recursive: true });
  writeStyle(join(folder, "style.css"), join(web, source, `${source}.css`));
}

interface PageSource {
  /** Its folder in `web`. */
  readonly source: string;
  readonly scripts: readonly string[];
  readonly style: string;
}

/** Bundles the scripts, and writes the style. */
function buildAssets(folder: string, { source, scripts, style }: PageSource): void {
  mkdirSync(folder, { recursive: true });
  buildSync({
    entryPoints: scripts.map((name) => join(web, source, name)),
    outdir: folder,
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    logLevel: "warning",
    tsconfigRaw: {},
  });
  writeStyle(join(folder, style), join(web, source, style));
}

/** Writes the tokens and what all these pages have in common before a page's own style. */
function writeStyle(file: string, source: string): void {
  const styles = [join(web, "theme", "theme.css"), source].map((path) => readFileSync(path, "utf8"));
  writeFileSync(file, [tokensForAll(), ...styles].join("\n"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error("Usage: node web/build.ts <folder>");
  buildCheckPage(resolve(folder, "check-page"));
  buildSignInPage(resolve(folder, "sign-in"));
  buildLoginStartPage(resolve(folder, "login-start"));
  buildDataDeletionPage(resolve(folder, "data-deletion"));
  buildDocs(resolve(folder, "docs"));
  buildConsoleSync(resolve(folder, "console"));
}
