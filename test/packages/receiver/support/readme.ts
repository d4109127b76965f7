import { codeBlocks } from "../../../docs/code-blocks.ts";
import { readPage } from "../../../docs/markdown.ts";

const README = "packages/receiver/README.md";

/** The first code below a heading of the README. */
export function readmeBlock(heading: string): string {
  const headingLine = readPage(README)
    .split("\n")
    .findIndex((line) => line.replace(/^#+ /, "") === heading);
  const block = codeBlocks(README).find(({ line }) => headingLine >= 0 && line > headingLine);
  if (block === undefined) throw new Error(`No code below ${heading} in ${README}.`);
  return block.code;
}
