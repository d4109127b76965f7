import { readFileSync } from "node:fs";

const both = /light-dark\(((?:[^(),]|\([^()]{0,40}\)){1,60}), ((?:[^(),]|\([^()]{0,40}\)){1,60})\)/g;

/**
 * The tokens for pages that older browsers open, too, which have no `light-dark()`: the colors of the system's scheme, and
 * those of the scheme that a reader chose (`data-theme`).
 */
export function tokensForAll(): string {
  const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");
  const tokens = css.match(/^ {2}--[^;]{1,400};/gm) ?? [];
  const light = tokens.map((token) => token.replace(both, "$1"));
  const dark = tokens.filter((token) => token.includes("light-dark(")).map((token) => token.replace(both, "$2"));
  return [
    `:root {\n  color-scheme: light dark;\n${light.join("\n")}\n}`,
    `@media (prefers-color-scheme: dark) {\n:root:not([data-theme="light"]) {\n${dark.join("\n")}\n}\n}`,
    `:root[data-theme="light"] {\n  color-scheme: light;\n}`,
    `:root[data-theme="dark"] {\n  color-scheme: dark;\n${dark.join("\n")}\n}`,
  ].join("\n");
}
