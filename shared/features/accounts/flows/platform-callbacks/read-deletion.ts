import type { Millis } from "#base/kernel/time.ts";
import type { DataDeletion, DataDeletions } from "../../store/data-deletions.ts";
import { isConfirmationCode } from "./confirmation-codes.ts";

export type { DataDeletion };

export interface ReadDeletionPorts {
  readonly dataDeletions: Pick<DataDeletions, "get">;
}

/** The data deletion of a confirmation code; null when there is none, or none any more. */
export function readDataDeletion(
  { dataDeletions }: ReadDeletionPorts,
  code: string,
  now: Millis,
): Promise<DataDeletion | null> {
  return isConfirmationCode(code) ? dataDeletions.get(code, now) : Promise.resolve(null);
}
