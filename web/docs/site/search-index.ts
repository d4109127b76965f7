import type { SitePage } from "./layout.ts";

/** One entry of the search: its title, the page it is on, and its address. */
export type SearchEntry = readonly [title: string, page: string, href: string];

/** Every page and heading, pages first. */
export function searchIndex(pages: readonly SitePage[]): SearchEntry[] {
  const titles = pages.map(({ title, group, path }): SearchEntry => [title, group, path]);
  const headings = pages.flatMap(({ title, path, headings: parts }) =>
    parts
      .filter(({ level }) => level > 1)
      .flatMap(({ id, text }): SearchEntry[] => {
        const href = `${path}#${id}`;
        // Operations are also found by their ids.
        return id === text || !/^[a-z]+([A-Z][a-z]+)+$/.test(id)
          ? [[text, title, href]]
          : [[text, `${title} · ${id}`, href]];
      }),
  );
  return [...titles, ...headings];
}
