import { texts } from "./texts.ts";

/** The title of the page: how many wait for a reply, and no name. */
export function pageTitle(count: string, page: string): string {
  const title = `${page} – ${texts.name}`;
  return count === "0" ? title : `(${count}) ${title}`;
}
