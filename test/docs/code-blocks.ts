import { readPage } from "./markdown.ts";

/** A fenced code block of a page. */
export interface CodeBlock {
  /** The first word after the fence, such as `sh`; empty if there is none. */
  readonly language: string;
  /** The other words after the fence. `background` marks a program that runs until the end of the guide. */
  readonly marks: readonly string[];
  readonly code: string;
  /** The file name that the last line before the block ends with, such as `` Save this as `bot.mjs`: ``. */
  readonly file: string | null;
  /** The line of the block's first line of code, from 1. */
  readonly line: number;
}

/** The code blocks of a page, in order. Blocks in lists are unindented. */
export function codeBlocks(page: string): CodeBlock[] {
  const text = readPage(page);
  return [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)].map((match) => {
    const [, indent = "", info = "", code = ""] = match;
    const [language = "", ...marks] = info.trim().split(" ");
    const before = text.slice(0, match.index).trimEnd();
    const paragraph = before.slice(before.lastIndexOf("\n\n") + 2).replaceAll("\n", " ");
    return {
      language,
      marks,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      file: /`([\w-]+\.mjs)`[^`]*$/.exec(paragraph)?.[1] ?? null,
      line: text.slice(0, match.index).split("\n").length + 1,
    };
  });
}
