import { DAY, type Millis } from "../../kernel/time.ts";
import type { Consequences, RefusalClass } from "../platform.ts";

/** What one of the platforms' errors means; what is absent does not follow from it. */
export interface RefusalMeaning {
  readonly class: RefusalClass;
  readonly accountStatus?: NonNullable<Consequences["accountStatus"]>;
  readonly humanAgentPauseMs?: Millis;
  readonly transient?: true;
}

/** The platform does not itself know how far it got. */
type ListedMeaning = RefusalMeaning | "unsure";

const needsReauth = { class: "permission", accountStatus: "needs_reauth" } as const;
const restricted = { class: "restricted", accountStatus: "restricted" } as const;

// Written `code/subcode`, `/subcode` with any code, `code` with any subcode that is not listed, or `code/` without one.
const rows: readonly (readonly [meant: ListedMeaning, keys: string])[] = [
  ["unsure", "1 2 1200"],
  [{ class: "window" }, "10/2018278 10/2534022 10/2018065 10/1545041"],
  [{ class: "recipient" }, "10/2018108 551 200/1545041"],
  [restricted, "10/1893063 100/2534029 2022"],
  // The link between the Instagram account and its page is broken, or access to messages is switched off in the app.
  [needsReauth, "10/2534077 100/2534013 200/2534041"],
  // Code 10 has many subcodes; one that is not listed says nothing about the account's rights.
  [needsReauth, "10/ 200 3"],
  // The person's consent is missing, which is no fault of the account's.
  [{ class: "permission" }, "230"],
  [{ class: "recipient" }, "100/2018001 100/2534014 100/33"],
  // A file: not fetched, a video not fetched in time.
  [{ class: "invalid", transient: true }, "100/2018008 100/2018294"],
  // A file of another type, too large, not this account's; the message's data.
  [{ class: "invalid" }, "100/2018047 100/2018109 100/2018074 100/2534015"],
  [{ class: "invalid" }, "100/1893061 100"],
  [{ class: "thread_owner" }, "/2018300 2018300 100/2534037"],
  // Whatever the subcode: the app was removed, a checkpoint, another password, expired, unconfirmed, invalid.
  [{ class: "token", accountStatus: "needs_reauth" }, "190"],
  [{ class: "rate" }, "4 17 32 613 80001 80002 80006"],
  // Too much to one person, judged as abuse of the tag: the account's other sends may go on.
  [{ class: "other", humanAgentPauseMs: DAY }, "613/2018338"],
  // A message that is gone or too old to be read, and an account that is not eligible yet.
  [{ class: "other" }, "9000001 36103"],
];

const byKey: ReadonlyMap<string, ListedMeaning> = new Map(
  rows.flatMap(([meaning, keys]) => keys.split(" ").map((key) => [key, meaning] as const)),
);

/** What a pair of code and subcode means. `generic`: it is not listed with this subcode, or stands for much. */
export function lookUpMeaning(
  code: number | null,
  subcode: number | null,
): { readonly meaning: ListedMeaning | undefined; readonly generic: boolean } {
  const exact = subcode ? [`${code}/${subcode}`, `/${subcode}`] : [];
  const wide = subcode ? [`${code}`] : [`${code}/`, `${code}`];
  const exactMeaning = findMeaning(exact);
  return exactMeaning === undefined
    ? { meaning: findMeaning(wide), generic: true }
    : { meaning: exactMeaning, generic: false };
}

function findMeaning(keys: readonly string[]): ListedMeaning | undefined {
  return keys.map((key) => byKey.get(key)).find((meaning) => meaning !== undefined);
}

export const noConsequences: Consequences = {
  accountStatus: null,
  coolDownMs: null,
  humanAgentPauseMs: null,
  humanAgentRefused: false,
  transient: false,
};
