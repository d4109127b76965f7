import { clockNow, DAY } from "#base/kernel/time.ts";
import type { AccountPlatform } from "#platforms/graph/account-platform.ts";
import { untilRunning } from "../../support/world/processes.ts";
import type { Troubles } from "./troubles.ts";

const TOKEN_LIFE = 60 * DAY;

/**
 * The platform's calls of the accounts' health checks. Every account is healthy: a refused send was the last of its
 * kind.
 */
export function openAccountPlatform(troubles: Troubles): AccountPlatform {
  const call = async <Answer>(name: string, answer: Answer): Promise<Answer> => {
    await untilRunning();
    await troubles.decide(name);
    await untilRunning();
    return answer;
  };
  const done = { kind: "done" } as const;
  return {
    subscribe: () => call("subscribe", done),
    unsubscribe: () => call("unsubscribe", done),
    readSubscription: () => call("readSubscription", { kind: "read", isComplete: true }),
    readPicture: () => call("readPicture", { kind: "read", url: "https://pictures.example/account.jpg" }),
    refresh: () =>
      call("refresh", { kind: "refreshed", token: "a refreshed token", expiresAt: clockNow() + TOKEN_LIFE }),
    inspect: () =>
      call("inspect", { kind: "inspected", isValid: true, detail: null, hasRights: true, dataAccessExpiresAt: null }),
    listThreads: () => call("listThreads", { kind: "listed", threads: [], next: null }),
    readThread: () => call("readThread", { kind: "read", messages: [], isCut: false }),
  };
}
