// What a person has written and not sent. It is all that the browser stores of a conversation: for one person, in every tab,
// until it is sent, erased or the person signs out.

const KEY = "parley.drafts";
const STORED_MAX = 200;

export interface Draft {
  readonly text: string;
  /** When the person began to write, in epoch milliseconds of the server. */
  readonly startedAt: number;
  /** A message that is held until the person sends it. With the same key and body, Parley gives the same hold again. */
  readonly hold?: HeldDraft | undefined;
}

export interface HeldDraft {
  readonly key: string;
  readonly body: object;
  readonly endsAt: number;
}

interface Stored {
  readonly owner: string;
  readonly drafts: Readonly<Record<string, Draft>>;
}

let owner = "";
/** Nothing is stored after a sign-out: the page that is left would store its last text again. */
let isSignedOut = false;
let drafts: Record<string, Draft> = {};
const listeners = new Set<() => void>();
const savers = new Set<() => void>();

/** Opens the drafts of a person. Those of another person are removed. */
export function openDrafts(userId: string): void {
  const stored = read();
  owner = userId;
  isSignedOut = false;
  drafts = stored.owner === userId ? { ...stored.drafts } : {};
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

/** Keeps a draft; one without text and hold is removed. */
export function setDraft(conversationId: string, draft: Draft): void {
  change(conversationId, draft.text === "" && !draft.hold ? null : draft);
}

/** Puts a text back where it was written, before what the person has written since. @param at epoch milliseconds of the server */
export function addText(conversationId: string, text: string, at: number): void {
  for (const save of savers) save();
  const { text: later = "", startedAt = at, hold } = drafts[conversationId] ?? {};
  const all = [text, later].filter((part) => part !== "").join("\n");
  setDraft(conversationId, { text: all, startedAt: later === "" ? at : startedAt, hold });
}

/**
 * Keeps a message that is held, or forgets it: null. What the person has written since stays.
 * @param at when the person pressed, in epoch milliseconds of the server
 */
export function setHold(conversationId: string, hold: HeldDraft | null, at = 0): void {
  const { text = "", startedAt = at } = drafts[conversationId] ?? {};
  setDraft(conversationId, { text, startedAt, ...(hold ? { hold } : {}) });
}

/** Removes the draft of a conversation that was erased. */
export function removeDraft(conversationId: string): void {
  change(conversationId, null);
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

/** Changes one draft. Those of other conversations are as another tab stored them last. */
function change(conversationId: string, draft: Draft | null): void {
  const stored = read();
  if (stored.owner === owner) drafts = { ...stored.drafts };
  if (draft === null && !(conversationId in drafts)) return;
  if (draft === null) delete drafts[conversationId];
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
