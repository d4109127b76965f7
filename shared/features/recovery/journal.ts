import type { Files } from "#base/aws/files.ts";
import { sha256 } from "#base/kernel/bytes.ts";
import { isUlid, newUlid, ulidTime } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso, type Millis, parseIso } from "#base/kernel/time.ts";
import { type Role, roles } from "#features/access/rules/callers.ts";

/** An act that a restored table does not know, and that must not be undone by restoring it. */
export type JournalAct =
  /** `upTo`: what is newer stays. */
  | { readonly kind: "conversation.erase"; readonly conversationId: string; readonly upTo: Millis }
  /** `issuedAt`: what the login connected later stays. */
  | { readonly kind: "data.delete"; readonly platformUserId: string; readonly issuedAt: Millis }
  | { readonly kind: "key.revoke"; readonly keyId: string }
  | { readonly kind: "sessions.end"; readonly userId: string }
  | { readonly kind: "member.remove"; readonly tenant: TenantId; readonly userId: string }
  | { readonly kind: "member.lower"; readonly tenant: TenantId; readonly userId: string; readonly role: Role }
  | { readonly kind: "tenant.suspend" | "tenant.resume" | "tenant.delete"; readonly tenant: TenantId }
  /** `account`: its key, `<platform>#<external_id>`. */
  | {
      readonly kind: "account.disconnect";
      readonly tenant: TenantId;
      readonly account: string;
      readonly connectionId: string;
    }
  | { readonly kind: EndpointActKind; readonly tenant: TenantId; readonly endpointId: string }
  /** `url`: the new one. Its entry has its hash. */
  | {
      readonly kind: "webhook_url.change";
      readonly tenant: TenantId;
      readonly endpointId: string;
      readonly url: string;
    }
  | { readonly kind: "root_secret.rotate" | "verify_token.rotate" };

type EndpointActKind = "webhook.delete" | "webhook.pause" | "webhook.resume" | "webhook_secret.rotate";

/** An act with the ULID of its entry, whose time is that of the act. */
export interface JournalEntry {
  readonly id: string;
  readonly at: Millis;
  readonly act: JournalAct;
}

/**
 * - `recorded`: the act was made, or the process died before it was answered
 * - `withdrawn`: the act was refused after it had been recorded
 */
export type JournalStatus = "recorded" | "withdrawn";

/** Of every key in the bucket. */
export const JOURNAL_PREFIX = "acts/";

/** The key of an entry. Keys are in the order of the acts, by the millisecond. */
export function journalKey({ id }: Pick<JournalEntry, "id">): string {
  return `${JOURNAL_PREFIX}${id}`;
}

/**
 * The SHA-256 of what an act is about, in hex. A row of a restored table that has the same hash is what the act was about.
 * The kind is hashed too, so that entries about the same person cannot be compared with those of another kind.
 */
export function journalSubject(act: JournalAct): string {
  return sha256(JSON.stringify([act.kind, ...subjectParts(act)])).toString("hex");
}

/** What an erasure of a conversation is about, as `journalSubject` has it. */
export function erasureSubject(conversationId: string): string {
  return journalSubject({ kind: "conversation.erase", conversationId, upTo: 0 });
}

function subjectParts(act: JournalAct): readonly string[] {
  switch (act.kind) {
    case "conversation.erase":
      return [act.conversationId];
    case "data.delete":
      return [act.platformUserId];
    case "key.revoke":
      return [act.keyId];
    case "sessions.end":
      return [act.userId];
    case "member.remove":
    case "member.lower":
      return [act.tenant, act.userId];
    case "tenant.suspend":
    case "tenant.resume":
    case "tenant.delete":
      return [act.tenant];
    case "account.disconnect":
      return [act.tenant, act.account, act.connectionId];
    case "webhook.delete":
    case "webhook.pause":
    case "webhook.resume":
    case "webhook_secret.rotate":
    case "webhook_url.change":
      return [act.tenant, act.endpointId];
    case "root_secret.rotate":
    case "verify_token.rotate":
      return [];
  }
}

/** The SHA-256 of an endpoint's URL, in hex. The endpoint's id is hashed too, so that no list of URLs has it. */
export function webhookUrlHash(endpointId: string, url: string): string {
  return sha256(JSON.stringify([endpointId, url])).toString("hex");
}

/** The object of an entry: JSON without an id of a tenant, a person or a platform. */
export function encodeJournalEntry({ id, at, act }: JournalEntry, status: JournalStatus): Buffer {
  const facts = {
    ...("upTo" in act ? { up_to: iso(act.upTo) } : {}),
    ...("issuedAt" in act ? { issued_at: iso(act.issuedAt) } : {}),
    ...("role" in act ? { role: act.role } : {}),
    ...("url" in act ? { url_hash: webhookUrlHash(act.endpointId, act.url) } : {}),
  };
  const subject = journalSubject(act);
  return Buffer.from(JSON.stringify({ version: 1, id, at: iso(at), act: act.kind, subject, ...facts, status }));
}

/** An act as its entry has it. */
export interface RecordedAct {
  readonly kind: JournalAct["kind"];
  readonly subject: string;
  readonly at: Millis;
  /** Of an erasure. */
  readonly upTo: Millis;
  /** Of a data deletion. */
  readonly issuedAt: Millis;
  /** Of a lower role. */
  readonly role: Role;
  /** Of a changed URL, as `webhookUrlHash` has it. Null of another act. */
  readonly urlHash: string | null;
}

const kinds: Readonly<Record<JournalAct["kind"], true>> = {
  "conversation.erase": true,
  "data.delete": true,
  "key.revoke": true,
  "sessions.end": true,
  "member.remove": true,
  "member.lower": true,
  "tenant.suspend": true,
  "tenant.resume": true,
  "tenant.delete": true,
  "account.disconnect": true,
  "webhook.delete": true,
  "webhook.pause": true,
  "webhook.resume": true,
  "webhook_secret.rotate": true,
  "webhook_url.change": true,
  "root_secret.rotate": true,
  "verify_token.rotate": true,
};

/** The object of an entry as JSON. Any field may be missing or have another type. */
interface StoredEntry {
  readonly version?: unknown;
  readonly at?: unknown;
  readonly act?: unknown;
  readonly subject?: unknown;
  readonly up_to?: unknown;
  readonly issued_at?: unknown;
  readonly role?: unknown;
  readonly url_hash?: unknown;
  readonly status?: unknown;
}

/**
 * Reads the object of an entry. The time of an erasure or a data deletion that it does not name is that of the act.
 * @returns `withdrawn` for an act that was refused; null for an entry that this release cannot read
 */
export function decodeJournalEntry(object: Uint8Array): RecordedAct | "withdrawn" | null {
  const entry = parseObject(Buffer.from(object).toString());
  const { version, act, subject, status } = entry;
  if (version !== 1 || (status !== "recorded" && status !== "withdrawn")) return null;
  const at = parseTime(entry.at);
  if (typeof act !== "string" || !Object.hasOwn(kinds, act) || typeof subject !== "string" || at === null) return null;
  if (status === "withdrawn") return status;
  const kind = act as JournalAct["kind"];
  const role = roles.find((name) => name === entry.role) ?? null;
  if (kind === "member.lower" && role === null) return null;
  const urlHash = typeof entry.url_hash === "string" ? entry.url_hash : null;
  if (kind === "webhook_url.change" && urlHash === null) return null;
  const [upTo, issuedAt] = [parseTime(entry.up_to) ?? at, parseTime(entry.issued_at) ?? at];
  return { kind, subject, at, upTo, issuedAt, role: role ?? "agent", urlHash };
}

/** When the act of a key was recorded; null for a key that is none of the journal's. */
export function journalKeyTime(key: string): Millis | null {
  const id = key.startsWith(JOURNAL_PREFIX) ? key.slice(JOURNAL_PREFIX.length) : "";
  return isUlid(id) ? ulidTime(id) : null;
}

function parseObject(text: string): StoredEntry {
  try {
    return (JSON.parse(text) ?? {}) as StoredEntry;
  } catch {
    return {};
  }
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function parseTime(value: unknown): Millis | null {
  const at = typeof value === "string" && ISO_TIME.test(value) ? parseIso(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** The journal of the acts that a restored table does not know. */
export interface Journal {
  /** Writes the entry. Safe to repeat. @throws an error of S3, after which the act must not be made */
  record(entry: JournalEntry): Promise<void>;
  /** Marks a written entry as one whose act was refused. Safe to repeat. @throws an error of S3 */
  withdraw(entry: JournalEntry): Promise<void>;
}

export interface JournalPorts {
  readonly journal: Journal;
}

/** The journal in a bucket: one object for each entry. */
export function openJournal(files: Pick<Files, "put">): Journal {
  return {
    record: (entry) => files.put(journalKey(entry), encodeJournalEntry(entry, "recorded")),
    withdraw: (entry) => files.put(journalKey(entry), encodeJournalEntry(entry, "withdrawn")),
  };
}

/** A new entry of an act. */
export function newJournalEntry(act: JournalAct, at: Millis): JournalEntry {
  return { id: newUlid(at), at, act };
}

/**
 * Makes a change whose act is in the journal first. If the entry cannot be written, nothing changes. If the process dies after
 * the entry, the act counts as made, also when it was not: its caller has no answer, and a restore that repeats it removes
 * no more than they asked for.
 * @param change commits the act
 * @param isRefused whether the result says that nothing was changed: the entry is then withdrawn
 */
export async function journaled<Result>(
  { journal }: JournalPorts,
  { act, at }: Omit<JournalEntry, "id">,
  change: () => Promise<Result>,
  isRefused: (result: Result) => boolean,
): Promise<Result> {
  const entry = newJournalEntry(act, at);
  await journal.record(entry);
  const result = await change();
  if (isRefused(result)) await journal.withdraw(entry);
  return result;
}
