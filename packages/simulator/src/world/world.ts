import { randomBytes } from "node:crypto";
import { instagramMid, instagramThreadId, messengerMid, scopedId } from "./mids.ts";
import type { Account, Person, State, Thread, ThreadMessage, Token, Upload } from "./model.ts";
import { newPerson } from "./people.ts";
import { isInstagram } from "./platform.ts";
import { createStateStore } from "./state-file.ts";

const threadMessagesMax = 1000;
const sendsMax = 10_000;
const uploadsMax = 10_000;
const uploadLifeMs = 90 * 24 * 3_600_000;

/** The state of the simulated platforms: accounts, people, threads and the clock. */
export class World {
  readonly state: State;
  readonly appId: string;
  /** Counts every change, so that the page can check for news. */
  version = 1;
  readonly #store: { save(): Promise<void> };
  readonly #messages = new Map<string, ThreadMessage>();

  constructor(state: State, appId: string, statePath: string | undefined) {
    this.state = state;
    this.appId = appId;
    this.#store = createStateStore(statePath, state);
    for (const message of state.threads.flatMap((thread) => thread.messages)) this.#messages.set(message.mid, message);
  }

  /** Milliseconds since 1970 by the simulator's own clock. */
  now(): number {
    return Date.now() + this.state.clockOffsetMs;
  }

  /** Records a change and resolves once it is on disk. */
  save(): Promise<void> {
    this.version += 1;
    return this.#store.save();
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
    const person = newPerson(account, name, id);
    this.state.people.push(person);
    return person;
  }

  thread(account: Account, person: Person): Thread {
    const existing = this.state.threads.find((thread) => thread.account === account.key && thread.person === person.id);
    if (existing !== undefined) return existing;
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

  /** Removes every thread with its messages. The people stay. */
  clearThreads(): number {
    this.#messages.clear();
    return this.state.threads.splice(0).length;
  }

  /** Adds a message to a thread, with an id in the platform's format. */
  addMessage(
    account: Account,
    thread: Thread,
    message: Pick<ThreadMessage, "from"> & Partial<ThreadMessage>,
  ): ThreadMessage {
    const at = message.at ?? this.now();
    const added: ThreadMessage = {
      mid: this.#createMid(account, thread, at),
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
    const evicted = thread.messages.length > threadMessagesMax ? thread.messages.shift() : undefined;
    if (evicted !== undefined) this.#messages.delete(evicted.mid);
    return added;
  }

  /** Issues a token with a new value, as of now. */
  issueToken(grants: Omit<Token, "value" | "issuedAt" | "revoked">): Token {
    const prefix = grants.kind === "instagram_user" ? "IGAA" : "EAA";
    const value = `${prefix}${randomBytes(90).toString("base64url").replace(/[-_]/g, "Z")}`;
    const token: Token = { ...grants, value, issuedAt: this.now(), revoked: false };
    this.state.tokens.push(token);
    return token;
  }

  message(mid: string): ThreadMessage | undefined {
    return this.#messages.get(mid);
  }

  recordSend(account: Account, person: Person, message: ThreadMessage, request: Record<string, unknown>): void {
    const { sent } = this.state;
    sent.push({ mid: message.mid, account: account.key, person: person.id, at: message.at, request });
    if (sent.length > sendsMax) sent.shift();
  }

  addUpload(account: Account, { type, extension }: Pick<Upload, "type" | "extension">): Upload {
    const { uploads } = this.state;
    const upload = { id: scopedId(), account: account.key, type, at: this.now(), ...(extension ? { extension } : {}) };
    uploads.push(upload);
    if (uploads.length > uploadsMax) uploads.shift();
    return upload;
  }

  /** A file that the account uploaded within the last 90 days. */
  upload(account: Account, id: string): Upload | undefined {
    const oldest = this.now() - uploadLifeMs;
    return this.state.uploads.find((one) => one.id === id && one.account === account.key && one.at >= oldest);
  }

  /** Sets the webhook status of these messages. */
  setWebhookStatus(mids: readonly string[], status: ThreadMessage["webhook"]): void {
    for (const mid of mids) {
      const message = this.#messages.get(mid);
      if (message !== undefined) message.webhook = status;
    }
  }

  #createMid(account: Account, thread: Thread, at: number): string {
    if (!isInstagram(account)) return messengerMid();
    // Within the millisecond of the message, so that the id matches the webhook's timestamp.
    for (let micro = Math.floor(Math.random() * 900); ; micro += 1) {
      const micros = BigInt(at) * 1000n + BigInt(micro);
      const mid = instagramMid({ accountId: account.externalId, threadId: thread.id, micros });
      if (!this.#messages.has(mid)) return mid;
    }
  }
}
