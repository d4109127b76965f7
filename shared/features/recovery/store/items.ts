import type { Key } from "#base/table/keys.ts";

/** The last restore of the table. */
export const restoreKey: Key = { PK: "RESTORE", SK: "R" };

/** An erasure of the journal that the restored table did not know, by its subject. */
export function restoredErasureKey(subject: string): Key {
  return { PK: `RX#${subject}`, SK: "RX" };
}
