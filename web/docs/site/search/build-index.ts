import MiniSearch from "minisearch";
import { type CompactIndex, compactIndex } from "../../search/compact-index.ts";
import { indexOptions, type SearchEntry } from "../../search/options.ts";
import type { SitePage } from "../layout.ts";
import { fieldSections } from "./fields.ts";
import { pageSections, type Section } from "./sections.ts";

/** The index of every page, section, field and error code. */
export function buildSearchIndex(pages: readonly SitePage[]): CompactIndex {
  const sections: Section[] = [...pages.flatMap(pageSections), ...fieldSections(pages)];
  const index = new MiniSearch<SearchEntry>(indexOptions);
  index.addAll(sections.map(({ title, place, text }, id) => ({ id, title, place, text: `${place} ${text}` })));
  return compactIndex(
    sections.map(({ title, place, href }) => [title, place, href]),
    index.toJSON(),
  );
}
