import { scopedId } from "./mids.ts";
import type { Account, Person } from "./model.ts";
import { isInstagram } from "./platform.ts";

/** A person of the account with that name. */
export function newPerson(account: Account, name: string, id: string = scopedId()): Person {
  return {
    id,
    account: account.key,
    name,
    username: isInstagram(account) ? toHandle(name) : null,
    blocked: false,
    profile: true,
  };
}

const plainLetters: Record<string, string> = { ø: "o", æ: "ae", ß: "ss", ł: "l", đ: "d", ı: "i" };

function toHandle(name: string): string {
  const handle = name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .replace(/[øæßłđı]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, ".")
    .replace(/^\.|\.$/g, "");
  return handle === "" ? "someone" : handle;
}
