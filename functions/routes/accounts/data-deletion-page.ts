import type { DataDeletion } from "../../../shared/flows/accounts/duties/read-deletion.ts";
import type { PageFile } from "../../../shared/flows/holds/ports.ts";
import { iso, type Millis } from "../../../shared/kernel/time.ts";
import { pageHeaders } from "../../http/page-files.ts";

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
export function dataDeletionPage(pageFiles: ReadonlyMap<string, PageFile>, deletion: DataDeletion | null): Response {
  const file = pageFiles.get("/platform/data-deletion/{code}");
  if (!file) throw new Error("The page of a data deletion is missing.");
  const { title, text } = words[deletion?.status ?? "unknown"];
  const texts: Readonly<Record<string, string>> = { title, text, times: deletion ? timeList(deletion) : "" };
  const page = Buffer.from(file.body).toString();
  return new Response(
    page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => texts[name] ?? ""),
    {
      status: deletion ? 200 : 404,
      headers: { ...pageHeaders, "cache-control": "no-store", "content-type": file.type },
    },
  );
}

function timeList({ requestedAt, doneAt }: DataDeletion): string {
  const done = doneAt === null ? "" : `<dt>Completed</dt><dd>${timeElement(doneAt)}</dd>`;
  return `<dl><dt>Requested</dt><dd>${timeElement(requestedAt)}</dd>${done}</dl>`;
}

function timeElement(at: Millis): string {
  return `<time datetime="${iso(at)}">${dateFormat.format(at)} UTC</time>`;
}
