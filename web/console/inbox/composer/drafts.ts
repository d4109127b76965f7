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
let drafts: Record<string, Draft> = {};
const listeners = new Set<() => void>();

/** Opens the drafts of a person. Those of another person are removed. */
export function openDrafts(userId: string): void {
  const stored = read();
  owner = userId;
  drafts = stored.owner === userId ? { ...stored.drafts } : {};
  if (stored.owner !== userId) write();
  changed();
}

/** The text of a conversation's draft; empty without one. Conversations of all workspaces have different ids. */
export function draftOf(_tenant: string, conversationId: string): string {
  return drafts[conversationId]?.text ?? "";
}

export function fullDraftOf(conversationId: string): Draft | null {
  return drafts[conversationId] ?? null;
}

/** Keeps a draft; one without text and hold is removed. */
export function setDraft(conversationId: string, draft: Draft): void {
  if (draft.text === "" && !draft.hold) delete drafts[conversationId];
  else drafts[conversationId] = draft;
  write();
  changed();
}

/** Removes the draft of a conversation: it was sent, or the conversation was erased. */
export function removeDraft(_tenant: string, conversationId: string): void {
  if (!(conversationId in drafts)) return;
  delete drafts[conversationId];
  write();
  changed();
}

/** Removes every draft: the person signed out. */
export function clearDrafts(): void {
  drafts = {};
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
export function syncDrafts(event: Pick<StorageEvent, "key">): void {
  if (event.key !== KEY && event.key !== null) return;
  const stored = read();
  drafts = stored.owner === owner ? { ...stored.drafts } : {};
  changed();
}

if (typeof addEventListener === "function" && typeof localStorage !== "undefined")
  addEventListener("storage", syncDrafts);

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
