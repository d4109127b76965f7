import { objectPutter } from "#base/aws/object-put.ts";
import { setting } from "#base/config/settings.ts";
import type { Table } from "#base/table/client.ts";
import type { Journal } from "#features/recovery/journal.ts";
import { openJournal } from "#features/recovery/journal.ts";
import type { Host } from "../host.ts";

/**
 * The journal of a function that makes acts which a restored table does not know.
 * @param table whose client's credentials and connections write it
 */
export function hostJournal({ settings, clients }: Pick<Host, "settings" | "clients">, table: Table): Journal {
  const bucket = setting("journalBucket", settings);
  const put = clients.journal ?? objectPutter(bucket, table.client.config, settings.AWS_ENDPOINT_URL ?? null);
  return openJournal({ put });
}
