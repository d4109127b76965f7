import type { EraseAccountPorts } from "#features/accounts/flows/platform-callbacks/ports.ts";

const fail = () => Promise.reject(new Error("No data is deleted."));

/** For the worker of the accounts' tasks, where no data deletion runs. */
export const noDeletionPorts: Pick<EraseAccountPorts, "dataDeletionKeys" | "eraseConversation"> = {
  dataDeletionKeys: fail,
  eraseConversation: fail,
};
