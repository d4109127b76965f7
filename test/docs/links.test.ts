import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { headingAnchors, PROJECT, pages, readPage, relativeLinks } from "./markdown.ts";

/** The linked file, as a path from the project's root. */
const target = (page: string, path: string) => (path === "" ? page : join(page, "..", path));

it("the check of links finds the pages of the project", () => {
  expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/README.md", "docs/decisions/README.md"]));
});

describe.each(pages)("%s", (page) => {
  it("the document links only to files and headings that exist", () => {
    const broken = relativeLinks(page).filter(({ path, anchor }) => {
      const file = target(page, path);
      if (!existsSync(join(PROJECT, file))) return true;
      return anchor !== null && file.endsWith(".md") && !headingAnchors(file).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  // Layers are compared by test/layout.test.ts.
  it("the document names only source files and folders that exist", () => {
    const names = [
      ...readPage(page).matchAll(/`((?:shared|features|functions|lib|local|bin|web|packages|test|docs)\/[\w./-]+)`/g),
    ];
    const missing = names
      .map(([, name = ""]) => (name.startsWith("features/") ? `shared/${name}` : name))
      .filter((name) => !/^shared\/\w+$/.test(name) && !existsSync(join(PROJECT, name)));
    expect(missing).toEqual([]);
  });
});

it("every page is reached by links from README.md", () => {
  const reached = new Set(["README.md"]);
  for (const page of reached) {
    for (const { path } of relativeLinks(page)) if (path.endsWith(".md")) reached.add(target(page, path));
  }
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});

it("every page that code mentions exists", () => {
  const sources = globSync("{bin,functions,lib,local,packages,shared,test,web}/**/*.{ts,mjs,js}", {
    cwd: PROJECT,
    exclude: (name) => name.endsWith("links.test.ts"),
  });
  const mentions = sources.flatMap((source) =>
    [...readFileSync(join(PROJECT, source), "utf8").matchAll(/(?<![\w/])docs\/[\w/-]+\.md\b/g)].map(([page]) => ({
      source,
      page,
    })),
  );
  expect(mentions.length).toBeGreaterThan(5);
  expect(mentions.filter(({ page }) => !existsSync(join(PROJECT, page)))).toEqual([]);
});
