// What a person has written and not sent. It is all that the browser stores of a conversation: for one person, in every tab,
// until it is sent, erased or the person signs out.

const KEY = "parley.drafts";
const STORED_MAX = 200;

export interface Draft {
  readonly text: string;
  /** When the person began to write, in epoch milliseconds of the server. */
  readonly startedAt: number;
  /** The id of the message that the text replies to. */
  readonly replyTo?: string | undefined;
  /** What the person sent, as long as it is not certain that it arrived or was refused. */
  readonly unfinished?: readonly UnfinishedSend[] | undefined;
}

/** A send that a later page takes up. With the same key and body, Parley does the same again, and nothing twice. */
export interface UnfinishedSend {
  readonly key: string;
  readonly mode: "reply" | "person";
  readonly body: object;
  /** When it was pressed, in epoch milliseconds of the server. */
  readonly at: number;
  /** When the hold of a message ends that waits for its check; null when the message may have arrived. */
  readonly holdEndsAt: number | null;
}

interface Stored {
  readonly owner: string;
  readonly drafts: Readonly<Record<string, Draft>>;
}

let owner = "";
/** Nothing is stored after a sign-out: the page that is left would store its last text again. */
let isSignedOut = false;
let drafts: Record<string, Draft> = {};
/** The keys of the sends that were stored before this page began. */
let earlierKeys: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();
const savers = new Set<() => void>();

/** Opens the drafts of a person. Those of another person are removed. */
export function openDrafts(userId: string): void {
  const stored = read();
  owner = userId;
  isSignedOut = false;
  drafts = stored.owner === userId ? { ...stored.drafts } : {};
  earlierKeys = new Set(Object.values(drafts).flatMap(({ unfinished = [] }) => unfinished.map(({ key }) => key)));
  if (stored.owner !== userId) write();
  changed();
}

/** The text of a conversation's draft; empty without one. Conversations of all workspaces have different ids. */
export function draftOf(conversationId: string): string {
  return drafts[conversationId]?.text ?? "";
}

export function fullDraftOf(conversationId: string): Draft | null {
  return drafts[conversationId] ?? null;
}

/** The drafts of the person by conversation, of all workspaces. The same object while none changes. */
export function allDrafts(): Readonly<Record<string, Draft>> {
  return drafts;
}

/** Stores what a person has written. What it replies to and what they sent before stay. */
export function setDraft(conversationId: string, { text, startedAt }: Pick<Draft, "text" | "startedAt">): void {
  change(conversationId, (current) => ({ ...current, text, startedAt }));
}

/** The id of the message that a draft replies to; null for none. */
export function quoteOf(conversationId: string): string | null {
  return drafts[conversationId]?.replyTo ?? null;
}

/** Stores which message a draft replies to; null for none. @param at epoch milliseconds of the server */
export function setQuote(conversationId: string, messageId: string | null, at: number): void {
  change(conversationId, (current) => {
    const { replyTo: _, ...draft } = current ?? { text: "", startedAt: at };
    return messageId === null ? draft : { ...draft, replyTo: messageId };
  });
}

/** Puts a text back where it was written, before what the person has written since. @param at epoch milliseconds of the server */
export function addText(conversationId: string, text: string, at: number): void {
  for (const save of savers) save();
  const { text: later = "", startedAt = at } = drafts[conversationId] ?? {};
  const all = [text, later].filter((part) => part !== "").join("\n");
  setDraft(conversationId, { text: all, startedAt: later === "" ? at : startedAt });
}

/** Stores a send until `removeUnfinished`; one with the same key is replaced. */
export function setUnfinished(conversationId: string, send: UnfinishedSend): void {
  change(conversationId, (current) => ({
    text: "",
    startedAt: send.at,
    ...current,
    unfinished: [...(current?.unfinished ?? []).filter(({ key }) => key !== send.key), send],
  }));
}

/** Whether an earlier page began a send: another tab that is open ends its own. */
export function isOfEarlierPage({ key }: UnfinishedSend): boolean {
  return earlierKeys.has(key);
}

/** Removes a send that ended. */
export function removeUnfinished(conversationId: string, key: string): void {
  if (!drafts[conversationId]?.unfinished?.some((send) => send.key === key)) return;
  change(conversationId, (current) => {
    if (!current) return null;
    const { unfinished = [], ...draft } = current;
    const rest = unfinished.filter((send) => send.key !== key);
    return rest.length === 0 ? draft : { ...draft, unfinished: rest };
  });
}

/** Removes the draft of a conversation that was erased. */
export function removeDraft(conversationId: string): void {
  change(conversationId, () => null);
}

/** Calls a function that stores what a field shows, before a text is put there. @returns ends it */
export function beforeTextIsAdded(save: () => void): () => void {
  savers.add(save);
  return () => savers.delete(save);
}

/** Removes every draft: the person signed out. */
export function clearDrafts(): void {
  drafts = {};
  isSignedOut = true;
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing was stored.
  }
  changed();
}

/** Calls a listener when a draft changes, in this tab or another one. @returns ends it */
export function onDraftsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reads what another tab stored. */
export function syncDrafts(event: { readonly key?: string | null }): void {
  if (event.key !== KEY && event.key !== null) return;
  const stored = read();
  drafts = stored.owner === owner ? { ...stored.drafts } : {};
  changed();
}

if (typeof localStorage !== "undefined" && "addEventListener" in globalThis)
  (globalThis as unknown as EventTarget).addEventListener("storage", (event) =>
    syncDrafts(event as Event & { key?: string | null }),
  );

/** Changes one draft. Others are as another tab stored them last. One without a text, a quote and a send is removed. */
function change(conversationId: string, next: (current: Draft | undefined) => Draft | null): void {
  const stored = read();
  drafts = { ...(stored.owner === owner ? stored.drafts : drafts) };
  const draft = next(drafts[conversationId]);
  const isEmpty = draft === null || (draft.text === "" && !draft.replyTo && (draft.unfinished ?? []).length === 0);
  if (isEmpty && !(conversationId in drafts)) return;
  if (isEmpty) delete drafts[conversationId];
  else drafts[conversationId] = draft;
  // Another person who signed in has drafts of their own.
  if (stored.owner === "" || stored.owner === owner) write();
  changed();
}

function changed(): void {
  for (const listener of listeners) listener();
}

function read(): Stored {
  try {
    const { owner: storedOwner, drafts: stored } = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    const isValid = typeof storedOwner === "string" && typeof stored === "object" && stored !== null;
    if (isValid) return { owner: storedOwner, drafts: stored };
  } catch {
    // What cannot be read is no draft.
  }
  return { owner: "", drafts: {} };
}

function write(): void {
  if (isSignedOut) return;
  const newest = Object.entries(drafts)
    .sort(([, a], [, b]) => b.startedAt - a.startedAt)
    .slice(0, STORED_MAX);
  drafts = Object.fromEntries(newest);
  try {
    localStorage.setItem(KEY, JSON.stringify({ owner, drafts } satisfies Stored));
  } catch {
    // Without storage the drafts live as long as the page.
  }
}
