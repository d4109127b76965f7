import { filesClient, openFiles } from "#base/aws/files.ts";
import { objectPutter } from "#base/aws/object-put.ts";
import { openUploadFiles, openUploadGrants, openUploadLinks } from "#base/aws/upload-files.ts";
import { setting } from "#base/config/settings.ts";
import { type Journal, openJournal } from "#features/recovery/journal.ts";
import type { Composition } from "../compose.ts";
import type { Host } from "../host.ts";
import { table } from "./table.ts";

// The buckets.

/** The raw copies of webhooks. */
export const files = ({ settings, clients }: Host) => openFiles(setting("rawBucket", settings), clients.s3);

/** The files of uploads as objects. */
export const uploadObjects = ({ use, settings }: Composition) =>
  openFiles(setting("uploadBucket", settings), use(uploadClient));

/** The files of uploads with their types and versions. */
export const uploadFiles = ({ use, settings }: Composition) =>
  openUploadFiles(setting("uploadBucket", settings), use(uploadClient));

/** What a client uploads with. */
export const uploadGrants = ({ use, settings }: Composition) =>
  openUploadGrants(setting("uploadBucket", settings), use(uploadClient));

/** Where a platform fetches a file. */
export const uploadLinks = ({ use, settings }: Composition) =>
  openUploadLinks(setting("uploadBucket", settings), use(uploadClient));

/** The journal of acts that a restored table does not know. The credentials and connections of the table's client write it. */
export function journal({ use, settings, clients }: Composition): Journal {
  if (clients.journal) return openJournal({ put: clients.journal });
  const { config } = use(table).client;
  return openJournal({
    put: objectPutter(setting("journalBucket", settings), config, settings.AWS_ENDPOINT_URL ?? null),
  });
}

const uploadClient = ({ clients }: Host) => clients.s3 ?? filesClient();
