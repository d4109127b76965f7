import type { AccountPlatform } from "#platforms/graph/account-platform.ts";

/** The platform's answer to each call of an account. */
export type PlatformAnswers = {
  readonly [Call in keyof AccountPlatform]: Awaited<ReturnType<AccountPlatform[Call]>>;
};

/** The answers about an account that works. */
export const healthyAnswers: PlatformAnswers = {
  subscribe: { kind: "done" },
  unsubscribe: { kind: "done" },
  readSubscription: { kind: "read", isComplete: true },
  readPicture: { kind: "read", url: null },
  refresh: { kind: "refreshed", token: "", expiresAt: 0 },
  inspect: { kind: "inspected", isValid: true, detail: null, hasRights: true, dataAccessExpiresAt: null },
  listThreads: { kind: "listed", threads: [], next: null },
  readThread: { kind: "read", messages: [], isCut: false },
};

export const healthyPlatform: AccountPlatform = {
  subscribe: async () => healthyAnswers.subscribe,
  unsubscribe: async () => healthyAnswers.unsubscribe,
  readSubscription: async () => healthyAnswers.readSubscription,
  readPicture: async () => healthyAnswers.readPicture,
  refresh: async () => healthyAnswers.refresh,
  inspect: async () => healthyAnswers.inspect,
  listThreads: async () => healthyAnswers.listThreads,
  readThread: async () => healthyAnswers.readThread,
};
