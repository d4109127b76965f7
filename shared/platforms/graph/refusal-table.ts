import { DAY, type Millis } from "#base/kernel/time.ts";
import type { Consequences, RefusalClass } from "./platform.ts";

/** The meaning of a platform's error code. */
export interface RefusalMeaning {
  readonly class: RefusalClass;
  readonly accountStatus?: NonNullable<Consequences["accountStatus"]>;
  readonly humanAgentPauseMs?: Millis;
  readonly transient?: true;
  /** What the owner of the account can do. It follows the platform's text. */
  readonly advice?: string;
}

/** `unsure`: the platform may have accepted the message. */
type ListedMeaning = RefusalMeaning | "unsure";

const needsReauth = { class: "permission", accountStatus: "needs_reauth" } as const;
const restricted = { class: "restricted", accountStatus: "restricted" } as const;
const appNeedsReview = {
  class: "permission",
  advice: "The app may message only its own testers until it is live and has passed App Review.",
} as const;

// Keys: `code/subcode`; `/subcode` with any code; `code` with any unlisted subcode or none; `code/` without a subcode.
const rows: readonly (readonly [meant: ListedMeaning, keys: string])[] = [
  ["unsure", "1 2 1200"],
  [{ class: "window" }, "10/2018278 10/2534022 10/2018065 10/1545041"],
  [{ class: "recipient" }, "10/2018108 551 200/1545041"],
  // 368: the app or the page is blocked for a while. All of these pass by themselves.
  [restricted, "10/1893063 100/2534029 2022 368"],
  // The Instagram account is no longer linked to its page, or access to messages is off in the app's settings.
  [needsReauth, "10/2534077 100/2534013 200/2534041"],
  // The app is in development mode or was not reviewed. This is not about the token or the account.
  [appNeedsReview, "200/2018028 200/2018027 200/2018021"],
  // Code 10 has many subcodes. An unlisted one says nothing about the account's permissions.
  [needsReauth, "10/ 200 3"],
  // The person's consent is missing. The account is fine.
  [{ class: "permission" }, "230"],
  [{ class: "recipient" }, "100/2018001 100/2534014 100/33"],
  // A file could not be fetched, or a video not in time.
  [{ class: "invalid", transient: true }, "100/2018008 100/2018294"],
  // A file of an unsupported type, too large, or of another account; invalid message data.
  [{ class: "invalid" }, "100/2018047 100/2018109 100/2018074 100/2534015"],
  [{ class: "invalid" }, "100/1893061 100"],
  [{ class: "thread_owner" }, "/2018300 2018300 100/2534037"],
  // With any subcode: app removed, checkpoint, password changed, expired, unconfirmed, invalid.
  [{ class: "token", accountStatus: "needs_reauth" }, "190"],
  [{ class: "rate" }, "4 17 32 613 80001 80002 80006"],
  // Too many messages to one person, treated as misuse of the human-agent tag. Other sends may continue.
  [{ class: "other", humanAgentPauseMs: DAY }, "613/2018338"],
  // The message is deleted or too old, or the account is not eligible yet.
  [{ class: "other" }, "9000001 36103"],
];

const byKey: ReadonlyMap<string, ListedMeaning> = new Map(
  rows.flatMap(([meaning, keys]) => keys.split(" ").map((key) => [key, meaning] as const)),
);

/** Looks up an error. `generic`: the meaning follows from the code alone. */
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
