import type { Log } from "#base/aws/log.ts";
import type { Table } from "#base/table/client.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { noJournal } from "../../../recovery/support/no-journal.ts";

/** The ports of the realtime stream where a test opens no sockets: nothing is queued. */
export const noStream = {
  realtime: { send: async () => {} },
  realtimeUrl: "wss://stream.example",
};

/** The ports of a flow that ends access, on the table. */
export function openCutOff(table: Table, log: Log = () => {}) {
  const { sockets, tenantStatuses } = openStores(table);
  return { ...noStream, ...noJournal, sockets, tenantStatuses, log };
}
