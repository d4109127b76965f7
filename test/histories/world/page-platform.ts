import { HOUR, type Millis, SECOND } from "#base/kernel/time.ts";
import type {
  AccountPlatform,
  CallAccount,
  CallFailure,
  CallRefused,
  ThreadMessage,
} from "#platforms/graph/account-platform.ts";
import { untilRunning } from "../../support/world/processes.ts";
import type { Engine } from "../engine/engine.ts";
import type { Outages } from "./outages.ts";
import type { Troubles } from "./troubles.ts";

/** A message that the platform has. */
export interface PlatformMessage {
  readonly mid: string;
  readonly externalId: string;
  readonly customer: string;
  readonly text: string;
  readonly at: Millis;
  readonly isEcho: boolean;
}

/** A call of the service, and whether it did what it asked for. */
export interface AccountCall {
  readonly at: Millis;
  readonly name: keyof AccountPlatform;
  readonly externalId: string;
  readonly isDone: boolean;
}

const READABLE_MAX = 20;
const TOKEN_LIFE: Millis = 60 * 24 * HOUR;

interface Options {
  readonly engine: Engine;
  readonly troubles: Troubles;
  readonly outages: Outages;
}

/**
 * A platform whose subscriptions end, whose tokens end with the login that made them, and whose history can be read. A
 * subscription belongs to a page, or to an account without one.
 */
export class PagePlatform implements AccountPlatform {
  readonly calls: AccountCall[] = [];
  readonly messages: PlatformMessage[] = [];
  /** Until then the history answers that there were too many calls. */
  limitedUntil: Millis = 0;
  readonly #subscriptions = new Set<string>();
  readonly #endedLogins = new Map<string, number>();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** A token of a person's login. */
  newToken(login: string): string {
    return `token ${login} ${this.#endedLogins.get(login) ?? 0}`;
  }

  /** A person removes the app: all tokens of their login end. */
  endLogin(login: string): void {
    this.#endedLogins.set(login, (this.#endedLogins.get(login) ?? 0) + 1);
  }

  isSubscribed(account: Pick<CallAccount, "externalId" | "pageId">): boolean {
    return this.#subscriptions.has(subscriptionOf(account));
  }

  endSubscription(account: Pick<CallAccount, "externalId" | "pageId">): void {
    this.#subscriptions.delete(subscriptionOf(account));
  }

  readonly subscribe: AccountPlatform["subscribe"] = (account, token) =>
    this.#call("subscribe", account.externalId, () => {
      if (!this.#isValid(token)) return accessEnded;
      this.#subscriptions.add(subscriptionOf(account));
      return done;
    });

  readonly unsubscribe: AccountPlatform["unsubscribe"] = (account, token) =>
    this.#call("unsubscribe", account.externalId, () => {
      if (!this.#isValid(token)) return accessEnded;
      this.#subscriptions.delete(subscriptionOf(account));
      return done;
    });

  readonly readSubscription: AccountPlatform["readSubscription"] = (account, token) =>
    this.#call("readSubscription", account.externalId, () =>
      this.#isValid(token) ? ({ kind: "read", isComplete: this.isSubscribed(account) } as const) : accessEnded,
    );

  readonly readPicture: AccountPlatform["readPicture"] = ({ externalId }, token) =>
    this.#call("readPicture", externalId, () =>
      this.#isValid(token) ? ({ kind: "read", url: "https://pictures.example/account.jpg" } as const) : accessEnded,
    );

  readonly refresh: AccountPlatform["refresh"] = (token) =>
    this.#call("refresh", "", () =>
      this.#isValid(token)
        ? ({ kind: "refreshed", token, expiresAt: this.#options.engine.now() + TOKEN_LIFE } as const)
        : accessEnded,
    );

  readonly inspect: AccountPlatform["inspect"] = ({ externalId }, token) =>
    this.#call("inspect", externalId, () => {
      const isValid = this.#isValid(token);
      const detail = isValid ? null : accessEnded.detail;
      return { kind: "inspected", isValid, detail, hasRights: isValid, dataAccessExpiresAt: null } as const;
    });

  readonly listThreads: AccountPlatform["listThreads"] = ({ externalId }, token, { after, limit }) =>
    this.#call("listThreads", externalId, () => {
      const refusal = this.#historyRefusal(token);
      if (refusal) return refusal;
      const newest = new Map<string, Millis>();
      for (const { customer, at } of this.#messagesOf(externalId))
        newest.set(customer, Math.max(at, newest.get(customer) ?? 0));
      const threads = [...newest]
        .sort(([, one], [, other]) => other - one)
        .map(([id, at]) => ({ id, updatedAt: toSecond(at), participantIds: [id] }));
      const start = Number(after ?? 0);
      const end = start + limit;
      return { kind: "listed", threads: threads.slice(start, end), next: end < threads.length ? `${end}` : null };
    });

  readonly readThread: AccountPlatform["readThread"] = ({ externalId }, token, threadId) =>
    this.#call("readThread", externalId, () => {
      const refusal = this.#historyRefusal(token);
      if (refusal) return refusal;
      const messages = this.#messagesOf(externalId).filter(({ customer }) => customer === threadId);
      return {
        kind: "read",
        messages: messages.slice(-READABLE_MAX).map(toThreadMessage),
        isCut: messages.length >= READABLE_MAX,
      };
    });

  #messagesOf(externalId: string): PlatformMessage[] {
    return this.messages.filter((message) => message.externalId === externalId).sort((one, other) => one.at - other.at);
  }

  #isValid(token: string): boolean {
    const [, login = "", number] = token.split(" ");
    return Number(number) === (this.#endedLogins.get(login) ?? 0);
  }

  #historyRefusal(token: string): CallRefused | null {
    if (!this.#isValid(token)) return accessEnded;
    return this.#options.engine.now() < this.limitedUntil ? tooManyCalls : null;
  }

  async #call<Answer extends { readonly kind: string }>(
    name: AccountCall["name"],
    externalId: string,
    act: () => Answer,
  ): Promise<Answer | CallFailure> {
    await untilRunning();
    const fault = await this.#options.troubles.decide(name);
    await untilRunning();
    if (fault === "fail" || fault === "throttle" || this.#options.outages.isOut("platform")) return { kind: "unknown" };
    const answer = act();
    const isDone = answer.kind !== "refused" && !("isValid" in answer && answer.isValid === false);
    this.calls.push({ at: this.#options.engine.now(), name, externalId, isDone });
    await untilRunning();
    return fault === "lost" ? { kind: "unknown" } : answer;
  }
}

function subscriptionOf({ externalId, pageId }: Pick<CallAccount, "externalId" | "pageId">): string {
  return pageId ?? externalId;
}

const toSecond = (at: Millis): Millis => Math.floor(at / SECOND) * SECOND;

/** The content of a message as a webhook's event has it. */
export function toEvent({ mid, externalId, customer, text, isEcho }: Omit<PlatformMessage, "at">) {
  const [sender, recipient] = isEcho ? [externalId, customer] : [customer, externalId];
  const message = { mid, text, ...(isEcho ? { is_echo: true } : {}) };
  return { sender: { id: sender }, recipient: { id: recipient }, message };
}

/** The history names the second of a message alone. */
function toThreadMessage({ at, ...message }: PlatformMessage): ThreadMessage {
  return {
    id: message.mid,
    participantId: message.customer,
    direction: message.isEcho ? "echo" : "inbound",
    at: toSecond(at),
    event: toEvent(message),
  };
}

const done = { kind: "done" } as const;
const refused = { kind: "refused", subcode: null, accountStatus: null, transient: false } as const;
const accessEnded = {
  ...refused,
  class: "token",
  detail: "Error validating access token.",
  code: 190,
  accountStatus: "needs_reauth",
} as const;
const tooManyCalls = {
  ...refused,
  class: "rate",
  detail: "Application request limit reached.",
  code: 4,
  transient: true,
} as const;
