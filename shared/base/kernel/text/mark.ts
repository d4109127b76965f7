import { html } from "./html.ts";

/** Parley's sign at the top of the pages outside the console. Their styles color it. */
export const mark = html`<svg class="sign" viewBox="0 0 32 32" role="img" aria-label="Parley"><rect width="32" height="32" rx="9.5"/><path d="M7.5 11.2A3.2 3.2 0 0 1 10.7 8h6.1a3.2 3.2 0 0 1 3.2 3.2v2.6a3.2 3.2 0 0 1-3.2 3.2h-3.3L10 19.6V17a3 3 0 0 1-2.5-3z"/><path d="M22 12.6a3 3 0 0 1 2.5 3v2.7a3 3 0 0 1-2.5 3v2.5l-3.3-2.5h-3.4a3 3 0 0 1-2.6-1.5l1.5-1.1h3.2A4.6 4.6 0 0 0 22 14z" opacity="0.62"/></svg>`;
