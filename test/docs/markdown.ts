import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** Every Markdown page of the project, as a path from its root. */
export const pages = ["*.md", "docs/**/*.md", "packages/*/README.md", "test/*.md"]
  .flatMap((pattern) => globSync(pattern, { cwd: PROJECT }))
  .sort();

export function readPage(page: string): string {
  return readFileSync(join(PROJECT, page), "utf8");
}

export interface Link {
  readonly page: string;
  /** The file linked to, as written; empty for a heading of the same page. */
  readonly path: string;
  readonly anchor: string | null;
}

/** The links of a page to other files of the project. Code blocks have none. */
export function relativeLinks(page: string): Link[] {
  const text = readPage(page).replace(/^```.*?^```/gms, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor = null] = target.split("#");
      return { page, path, anchor };
    });
}

/** The anchors of a page's headings, as GitHub makes them. */
export function headingAnchors(page: string): string[] {
  const text = readPage(page).replace(/^```.*?^```/gms, "");
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
