// Which notifications stand for the messages that came since the person last looked. The functions are pure.

/** A message that came. */
export interface Arrival {
  readonly conversation: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Who wrote, and what; null where the person wants no names and texts. */
  readonly content: { readonly name: string; readonly text: string } | null;
}

export interface Group {
  readonly count: number;
  /** When its notification last called for attention. */
  readonly alertedAt: number;
}

/** The messages since the person last looked, by conversation. */
export type Groups = ReadonlyMap<string, Group>;

export const noGroups: Groups = new Map();

/** What to show in place of what has the same tag. */
export interface Shown {
  readonly tag: string;
  readonly title: string;
  readonly body: string;
  /** Whether it calls for attention again where it replaces another one. */
  readonly renotify: boolean;
  /** The conversation that a press opens; null: the list. */
  readonly conversation: string | null;
  /** The tags of notifications that it also stands for, and that end. */
  readonly replaces: readonly string[];
}

interface Words {
  readonly app: string;
  readonly messages: (count: number) => string;
  readonly conversations: (messages: number, conversations: number) => string;
}

/** With more conversations than this, one notification stands for all. */
const SINGLE_MAX = 3;
/** One that is replaced calls for attention again after this time, not at each message. */
const QUIET_MS = 10_000;

/** The notification after a message. @param tenant its workspace: that of another one stays */
export function afterArrival(
  groups: Groups,
  { conversation, at, content }: Arrival,
  { tenant, words }: { readonly tenant: string; readonly words: Words },
): { readonly groups: Groups; readonly shown: Shown } {
  const before = groups.get(conversation);
  const count = (before?.count ?? 0) + 1;
  const next = new Map(groups);
  const isMany = (size: number) => size > SINGLE_MAX;
  next.set(conversation, { count, alertedAt: at });
  const lastAlert = isMany(next.size)
    ? Math.max(...[...groups.values()].map(({ alertedAt }) => alertedAt))
    : (before?.alertedAt ?? Number.NEGATIVE_INFINITY);
  const renotify = at - lastAlert >= QUIET_MS;
  if (!renotify) next.set(conversation, { count, alertedAt: before?.alertedAt ?? lastAlert });
  if (!isMany(next.size)) {
    const more = count === 1 ? "" : ` (${count})`;
    const title = content === null ? words.app : `${content.name}${more}`;
    const body = content === null ? words.messages(count) : content.text;
    return {
      groups: next,
      shown: { tag: tagOf(conversation), title, body, renotify, conversation, replaces: [] },
    };
  }
  const messages = [...next.values()].reduce((sum, each) => sum + each.count, 0);
  return {
    groups: next,
    shown: {
      tag: `parley-all ${tenant}`,
      title: words.app,
      body: words.conversations(messages, next.size),
      renotify,
      conversation: null,
      replaces: isMany(groups.size) ? [] : [...groups.keys()].map(tagOf),
    },
  };
}

function tagOf(conversation: string): string {
  return `parley ${conversation}`;
}
