import { instagramMid, instagramThreadId, messengerMid, scopedId } from "./mids.ts";
import type { Account, Person, State, Thread, ThreadMessage, Upload, WebhookObject } from "./model.ts";
import { stateKeeper } from "./state-file.ts";

const messagesKeptInThread = 1000;
const sendsKept = 10_000;
const uploadsKept = 10_000;
const uploadLifeMs = 90 * 24 * 3_600_000;

/** The simulated platforms: who exists, what was said, and what time it is there. */
export class World {
  readonly state: State;
  readonly appId: string;
  /** Counts every change, so that the page can ask whether anything happened. */
  version = 1;
  readonly #keeper: { save(): Promise<void> };
  readonly #messages = new Map<string, ThreadMessage>();

  constructor(state: State, appId: string, statePath: string | undefined) {
    this.state = state;
    this.appId = appId;
    this.#keeper = stateKeeper(statePath, state);
    for (const message of state.threads.flatMap((thread) => thread.messages)) this.#messages.set(message.mid, message);
  }

  /** Milliseconds since 1970 by the simulator's own clock. */
  now(): number {
    return Date.now() + this.state.clockOffsetMs;
  }

  /** Marks a change and resolves once it is on disk. */
  changed(): Promise<void> {
    this.version += 1;
    return this.#keeper.save();
  }

  account(key: string): Account | undefined {
    return this.state.accounts.find((account) => account.key === key);
  }

  accountsOfPage(pageId: string): Account[] {
    return this.state.accounts.filter((account) => account.pageId === pageId);
  }

  person(account: Account, id: string): Person | undefined {
    return this.state.people.find((person) => person.id === id && person.account === account.key);
  }

  addPerson(account: Account, name: string, id: string = scopedId()): Person {
    const person: Person = {
      id,
      account: account.key,
      name,
      username: isInstagram(account) ? handleOf(name) : null,
      blocked: false,
      profile: true,
    };
    this.state.people.push(person);
    return person;
  }

  thread(account: Account, person: Person): Thread {
    const found = this.state.threads.find((thread) => thread.account === account.key && thread.person === person.id);
    if (found !== undefined) return found;
    const thread: Thread = {
      id: instagramThreadId(),
      account: account.key,
      person: person.id,
      lastInboundAt: null,
      messages: [],
    };
    this.state.threads.push(thread);
    return thread;
  }

  /** A new message in a thread, with an id of the platform's own shape. */
  addMessage(
    account: Account,
    thread: Thread,
    message: Pick<ThreadMessage, "from"> & Partial<ThreadMessage>,
  ): ThreadMessage {
    const at = message.at ?? this.now();
    const added: ThreadMessage = {
      mid: this.#mint(account, thread, at),
      at,
      text: null,
      attachments: [],
      note: null,
      reactions: {},
      replyTo: null,
      deleted: false,
      edits: 0,
      webhook: "none",
      ...message,
    };
    thread.messages.push(added);
    this.#messages.set(added.mid, added);
    const forgotten = thread.messages.length > messagesKeptInThread ? thread.messages.shift() : undefined;
    if (forgotten !== undefined) this.#messages.delete(forgotten.mid);
    return added;
  }

  recordSend(account: Account, person: Person, message: ThreadMessage, request: Record<string, unknown>): void {
    const { sent } = this.state;
    sent.push({ mid: message.mid, account: account.key, person: person.id, at: message.at, request });
    if (sent.length > sendsKept) sent.shift();
  }

  addUpload(account: Account, type: string): Upload {
    const { uploads } = this.state;
    const upload = { id: scopedId(), account: account.key, type, at: this.now() };
    uploads.push(upload);
    if (uploads.length > uploadsKept) uploads.shift();
    return upload;
  }

  /** A file the account itself handed over within the last 90 days. */
  upload(account: Account, id: string): Upload | undefined {
    const oldest = this.now() - uploadLifeMs;
    return this.state.uploads.find((one) => one.id === id && one.account === account.key && one.at >= oldest);
  }

  /** Sets where the webhooks of these messages stand. */
  setWebhookStatus(mids: readonly string[], status: ThreadMessage["webhook"]): void {
    for (const mid of mids) {
      const message = this.#messages.get(mid);
      if (message !== undefined) message.webhook = status;
    }
  }

  #mint(account: Account, thread: Thread, at: number): string {
    if (!isInstagram(account)) return messengerMid();
    // Within the message's own millisecond, so that the id and the webhook's timestamp agree.
    for (let micro = Math.floor(Math.random() * 900); ; micro += 1) {
      const micros = BigInt(at) * 1000n + BigInt(micro);
      const mid = instagramMid({ accountId: account.externalId, threadId: thread.id, micros });
      if (!this.#messages.has(mid)) return mid;
    }
  }
}

export function isInstagram(account: Account): boolean {
  return account.connection !== "messenger";
}

export function objectOf(account: Account): WebhookObject {
  return isInstagram(account) ? "instagram" : "page";
}

const plainLetters: Record<string, string> = { ø: "o", æ: "ae", ß: "ss", ł: "l", đ: "d", ı: "i" };

function handleOf(name: string): string {
  const plain = name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .replace(/[øæßłđı]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, ".")
    .replace(/^\.|\.$/g, "");
  return plain === "" ? "someone" : plain;
}
