import type { DataDeletion, DataDeletions } from "../../../stores/accounts/data-deletions.ts";
import { isConfirmationCode } from "./confirmation-codes.ts";

export type { DataDeletion };

export interface ReadDeletionPorts {
  readonly dataDeletions: Pick<DataDeletions, "get">;
}

/** The data deletion of a confirmation code; null when there is none. */
export function readDataDeletion({ dataDeletions }: ReadDeletionPorts, code: string): Promise<DataDeletion | null> {
  return isConfirmationCode(code) ? dataDeletions.get(code) : Promise.resolve(null);
}
