import { type CreatedKey, createKey as create } from "../../../../../shared/flows/access/keys.ts";
import { isRefusal } from "../../../../../shared/kernel/refusals.ts";

/** Creates a key of one tenant. @throws Error when it is refused */
export async function createKey(...parameters: Parameters<typeof create>): Promise<CreatedKey> {
  const key = await create(...parameters);
  if (isRefusal(key)) throw new Error(`The key was refused: ${key.refused}.`);
  return key;
}
