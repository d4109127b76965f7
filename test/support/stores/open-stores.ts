import type { Table } from "#base/table/client.ts";
import type { Composed, Composition, Port } from "../../../functions/compose.ts";
import * as everyStore from "../../../functions/ports/stores.ts";
import { table as openedTable } from "../../../functions/ports/table.ts";
import { noJournal } from "../../features/recovery/support/no-journal.ts";

/** Each caller chooses the jitter of the slots of slow endpoints. */
const { concurrencySlots, ...stores } = everyStore;

/** The stores of every function, on one table, without the slots of slow endpoints, and with the limits that a new deployment has. */
export function openStores(table: Table) {
  const composition = {
    settings: {},
    use: <T>(port: Port<T>) => (port === (openedTable as unknown) ? table : port(composition)),
  } as Composition;
  const opened = Object.entries(stores).map(([name, port]) => [name, port(composition)]);
  return { ...noJournal, ...(Object.fromEntries(opened) as Composed<typeof stores>) };
}
