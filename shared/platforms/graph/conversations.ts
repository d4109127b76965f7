import type { CallAccount, ReadThread, Thread } from "./account-platform.ts";
import type { Dialect } from "./dialect.ts";
import { readIsoTime } from "./graph-call.ts";
import { dataList, toThreadMessage } from "./history.ts";
import { asObject, type JsonObject, readId } from "./json.ts";

// Readers of the platforms' history.

const THREAD_ID_CHARS_MAX = 512;
/** The platforms show no more messages of a thread. */
const READABLE_MAX = 20;

/** Reads a list of conversations. @returns null when it is malformed, so that none is missed */
export function readThreads(
  account: CallAccount,
  body: JsonObject,
): { readonly kind: "listed"; readonly threads: readonly Thread[]; readonly next: string | null } | null {
  const { data } = body;
  if (!Array.isArray(data)) return null;
  const threads = data.map((thread) => readThread(account, thread));
  return threads.every((thread) => thread !== null) ? { kind: "listed", threads, next: readNextPage(body) } : null;
}

function readThread({ externalId, pageId }: CallAccount, value: unknown): Thread | null {
  const thread = asObject(value);
  const id = thread?.id;
  const updatedAt = readIsoTime(thread?.updated_time);
  if (typeof id !== "string" || !isThreadId(id) || updatedAt === null) return null;
  const participants = dataList(thread?.participants).flatMap((participant) => readId(participant.id) ?? []);
  return { id, updatedAt, participantIds: participants.filter((each) => each !== externalId && each !== pageId) };
}

/** Whether an id is one segment of a path. */
export function isThreadId(id: string): boolean {
  return id.length <= THREAD_ID_CHARS_MAX && /^[!-~]+$/.test(id) && !/^\.{1,2}$/.test(id);
}

/** The cursor of the next page. Its URL is never followed. @returns null on the last page */
export function readNextPage(body: JsonObject): string | null {
  const paging = asObject(body.paging);
  const after = asObject(paging?.cursors)?.after;
  return paging?.next !== undefined && typeof after === "string" && after !== "" ? after : null;
}

/** Reads the messages of a conversation, oldest first. @returns null when there is no list of them */
export function readThreadMessages(
  account: CallAccount,
  body: JsonObject,
  dialects: readonly Dialect[],
): ReadThread | null {
  const page = asObject(body.messages);
  const data = page?.data;
  if (!Array.isArray(data)) return null;
  const messages = data.map(asObject).map((message) => message && toThreadMessage(dialects, account, message));
  // The platform lists the newest first. Those of one second keep their order.
  const isCut = data.length >= READABLE_MAX || asObject(page?.paging)?.next !== undefined;
  return { kind: "read", messages: messages.filter((message) => message !== null).reverse(), isCut };
}
