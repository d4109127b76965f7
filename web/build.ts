import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { buildConsole, buildConsoleSync } from "./console/build.ts";
import { buildDocs } from "./docs/build.ts";
import { tokensForAll } from "./theme/tokens.ts";

export { buildConsole, buildConsoleSync, buildDocs };

// Usage: node web/build.ts <folder>

const web = fileURLToPath(new URL(".", import.meta.url));

/** Writes the check page as the Verify function serves it: index.html, check.css, check.js and solver.js. */
export function buildCheckPage(folder: string): void {
  buildPage(folder, { source: "check-page", scripts: ["check.ts", "solver.ts"], style: "check.css" });
}

/**
 * Writes the sign-in pages as the Console function serves them: index.html, sign-in.css and sign-in.js; invalid-link.html,
 * the same page with other words; signed-in.html and signed-in.js; and confirm.html, which the function fills.
 */
export function buildSignInPage(folder: string): void {
  buildPage(folder, { source: "sign-in", scripts: ["sign-in.ts", "signed-in.ts"], style: "sign-in.css" });
  copyFileSync(join(web, "sign-in", "signed-in.html"), join(folder, "signed-in.html"));
  copyFileSync(join(web, "sign-in", "confirm.html"), join(folder, "confirm.html"));
  const page = readFileSync(join(folder, "index.html"), "utf8");
  writeFileSync(join(folder, "index.html"), fill(page, SIGN_IN));
  writeFileSync(join(folder, "invalid-link.html"), fill(page, INVALID_LINK));
}

/**
 * Writes the page that connects accounts as the Connect function serves it: index.html, connect.css and connect.js; and
 * start.html, which the function fills.
 */
export function buildConnectPage(folder: string): void {
  buildPage(folder, { source: "connect", scripts: ["connect.ts"], style: "connect.css" });
  copyFileSync(join(web, "connect", "start.html"), join(folder, "start.html"));
}

/** Writes the page of a data deletion as the Connect function serves it: index.html, which the function fills, and style.css. */
export function buildDataDeletionPage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(web, "data-deletion", "index.html"), join(folder, "index.html"));
  writeStyle(join(folder, "style.css"), join(web, "data-deletion", "data-deletion.css"));
}

const SIGN_IN = {
  title: "Sign in",
  text: "Enter your email address to get a sign-in link. There is no password.",
  button: "Send a link",
} as const;
const INVALID_LINK = {
  title: "This link no longer works",
  text: "A sign-in link works once, for 15 minutes. Enter your email address to get a new one.",
  button: "Send a new link",
} as const;

/** Replaces each `{{name}}`. */
function fill(page: string, texts: Readonly<Record<string, string>>): string {
  return page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => texts[name] ?? "");
}

interface PageSource {
  /** Its folder in `web`. */
  readonly source: string;
  readonly scripts: readonly string[];
  readonly style: string;
}

/** Bundles the scripts, and writes the page and its style. */
function buildPage(folder: string, { source, scripts, style }: PageSource): void {
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
  copyFileSync(join(web, source, "index.html"), join(folder, "index.html"));
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
  buildConnectPage(resolve(folder, "connect"));
  buildDataDeletionPage(resolve(folder, "data-deletion"));
  buildDocs(resolve(folder, "docs"));
  buildConsoleSync(resolve(folder, "console"));
}
