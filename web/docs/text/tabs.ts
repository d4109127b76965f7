import { type Html, html } from "./html.ts";

/** The same request in one language. */
export interface Tab {
  /** `curl`, `TypeScript`, `Python`: what a reader chooses for every page. */
  readonly label: string;
  readonly content: Html;
}

/** Blocks of which one is shown. Without the script, each opens and closes by itself. @param id unique in the page */
export function tabs(id: string, items: readonly Tab[]): Html {
  const [only] = items;
  if (only !== undefined && items.length === 1) return only.content;
  return html`<div class="tabs">${items.map(
    ({ label, content }, index) =>
      html`<details name="${id}"${index === 0 && html` open`}><summary>${label}</summary>${content}</details>`,
  )}</div>`;
}
