import type { Millis } from "#base/kernel/time.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import type { AccountPlatform, CallAccount } from "#platforms/graph/account-platform.ts";
import type { Platform } from "#platforms/graph/platform.ts";

/** A call to the platform, and the work that made it. */
export interface RaceCall {
  readonly work: string;
  readonly token: string;
}

/**
 * The platforms of a race: they remember to which pages and accounts the app is subscribed, and accept everything. Each
 * call takes a while: it waits for `step` before it has its effect and again before its answer.
 */
export function openRacePlatform(step: () => Promise<unknown>) {
  const subscribed = new Set<string>();
  const calls: RaceCall[] = [];
  let sends = 0;

  async function call<T>(made: RaceCall, effect: () => T): Promise<T> {
    calls.push(made);
    await step();
    const answer = effect();
    await step();
    return answer;
  }
  const done = { kind: "done" } as const;

  return {
    subscribed,
    calls: calls as readonly RaceCall[],

    accountPlatform(work: string, connection: Connection): AccountPlatform {
      const node = (account: CallAccount) => subscriptionNode(connection, account);
      return {
        subscribe: (account, token) =>
          call({ work, token }, () => {
            subscribed.add(node(account));
            return done;
          }),
        unsubscribe: (account, token) =>
          call({ work, token }, () => {
            subscribed.delete(node(account));
            return done;
          }),
        readSubscription: (account, token) =>
          call({ work, token }, () => ({ kind: "read", isComplete: subscribed.has(node(account)) })),
        refresh: (token) =>
          call({ work, token }, () => ({ kind: "refreshed", token: `${token}+`, expiresAt: Number.MAX_SAFE_INTEGER })),
        inspect: (_account, token) =>
          call({ work, token }, () => ({
            kind: "inspected",
            isValid: true,
            detail: null,
            hasRights: true,
            dataAccessExpiresAt: null,
          })),
        readPicture: (_account, token) => call({ work, token }, () => ({ kind: "read", url: null })),
        listThreads: (_account, token) => call({ work, token }, () => ({ kind: "listed", threads: [], next: null })),
        readThread: (_account, token) => call({ work, token }, () => ({ kind: "read", messages: [], isCut: false })),
      };
    },

    platform(work: string): Pick<Platform, "send" | "upload" | "fetchProfile" | "textTooLong"> {
      return {
        textTooLong: () => false,
        send: (_account, token) =>
          call({ work, token }, () => ({ kind: "accepted", messageId: `sent-${work}-${++sends}` })),
        upload: (_account, token) =>
          call({ work, token }, () => ({ kind: "accepted", attachmentId: `attachment-${work}-${++sends}` })),
        fetchProfile: (_account, token) =>
          call({ work, token }, () => ({ kind: "found", name: "Ada", username: "ada", pictureUrl: null })),
      };
    },
  };
}

/** What the app is subscribed to for an account. */
export function subscriptionNode(connection: Connection, { externalId, pageId }: CallAccount): string {
  return connection === "instagram_login" ? externalId : `page ${pageId}`;
}

/** A time limit far away. */
export const NO_END: Millis = Number.MAX_SAFE_INTEGER;
