import type { Key } from "#base/table/keys.ts";

export function quarantineKey(queue: string, id: string): Key {
  return { PK: `QUAR#${queue}`, SK: id };
}
