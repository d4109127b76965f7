import { openFiles } from "#base/aws/files.ts";
import { setting } from "#base/config/settings.ts";
import { openJournal } from "#features/recovery/journal.ts";
import type { Journal } from "#features/recovery/ports.ts";
import type { Host } from "../host.ts";

/** The journal of a function that makes acts which a restored table does not know. */
export function hostJournal({ settings, clients }: Pick<Host, "settings" | "clients">): Journal {
  return openJournal(openFiles(setting("journalBucket", settings), clients.s3));
}
