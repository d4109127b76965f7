import type { PageFile } from "#base/files/page-file.ts";
import { html, type Markup } from "#base/kernel/text/html.ts";
import { iso, type Millis } from "#base/kernel/time.ts";
import { filledPage } from "#http/browser/filled-page.ts";
import type { HttpResponse } from "#http/http-response.ts";
import type { DataDeletion } from "../flows/platform-callbacks/read-deletion.ts";

const words = {
  running: {
    title: "Deletion in progress",
    text: "Your accounts are being disconnected, and their conversations deleted. This usually takes a few minutes. Reload this page to see the current status.",
  },
  done: {
    title: "Deletion completed",
    text: "Your login is no longer stored here. The accounts that only you had connected are disconnected, and their conversations are deleted.",
  },
  unknown: {
    title: "Request not found",
    text: "No deletion request has this code, or it is older than 400 days. Check the link that the platform gave you.",
  },
} as const;

const dateFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** The page of a data deletion, without a script. One and the same page for every unknown code. */
export function dataDeletionPage(
  pageFiles: ReadonlyMap<string, PageFile>,
  deletion: DataDeletion | null,
): HttpResponse {
  const { title, text } = words[deletion?.status ?? "unknown"];
  return filledPage(pageFiles.get("/platform/data-deletion/{code}"), {
    texts: { title, text, times: deletion ? timeList(deletion) : "" },
    status: deletion ? 200 : 404,
  });
}

function timeList({ requestedAt, doneAt }: DataDeletion): Markup {
  const done = doneAt === null ? "" : html`<dt>Completed</dt><dd>${timeElement(doneAt)}</dd>`;
  return html`<dl><dt>Requested</dt><dd>${timeElement(requestedAt)}</dd>${done}</dl>`;
}

function timeElement(at: Millis): Markup {
  return html`<time datetime="${iso(at)}">${dateFormat.format(at)} UTC</time>`;
}
