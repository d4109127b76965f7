import { isUlid, newUlid, ulidTime } from "#base/kernel/ids.ts";
import {
  UPLOAD_FINISHABLE,
  UPLOAD_GRANT_LIFETIME,
  UPLOAD_PROCESSING_MAX,
  UPLOAD_READABLE,
  UPLOAD_STORED_MAX,
} from "#base/kernel/limits.ts";
import { type Reason, toHttpError } from "#base/kernel/refusals.ts";
import { HOUR, iso, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";

// A client posts a file to storage and finishes the upload. Parley checks the file, copies it, and the platform fetches
// the copy. One end comes by time alone and is stored when somebody reads it.

export const uploadStatuses = ["waiting", "processing", "ready", "failed"] as const;
export type UploadStatus = (typeof uploadStatuses)[number];

/**
 * - `create`: the declared file is accepted, and the client gets a grant
 * - `finish`: the posted file passed the checks; only one caller can finish
 * - `refuse`: the posted file is too large or of another type
 * - `accept`, `fail`: the outcome of the hand-over to the platform
 * - `lapse`: the hand-over had no outcome in time
 */
export type UploadTrigger = "create" | "finish" | "refuse" | "accept" | "fail" | "lapse";

/** All transitions of an upload's status, as `[from, trigger, to]`. The store's write conditions come from this table. */
export const uploadTransitions: readonly (readonly [UploadStatus | "none", UploadTrigger, UploadStatus])[] = [
  ["none", "create", "waiting"],
  ["waiting", "finish", "processing"],
  ["waiting", "refuse", "failed"],
  ["processing", "accept", "ready"],
  ["processing", "fail", "failed"],
  ["processing", "lapse", "failed"],
];

/** The statuses in which a trigger applies. */
export function uploadStatusesBefore(trigger: UploadTrigger): UploadStatus[] {
  return uploadStatuses.filter((status) => uploadTransitions.some(([from, by]) => from === status && by === trigger));
}

/** The status after a trigger; null when the trigger does not apply in `status`. */
export function nextUploadStatus(status: UploadStatus | "none", trigger: UploadTrigger): UploadStatus | null {
  return uploadTransitions.find(([from, by]) => from === status && by === trigger)?.[2] ?? null;
}

/** An error as the API returns it. */
export interface UploadError {
  readonly code: string;
  readonly message: string;
  readonly detail: string | null;
}

/** The status of an upload with its data. `copyKey` is the key of the checked copy. */
export type UploadState =
  | { readonly status: "waiting" }
  /** `tries`: failed calls of the platform. */
  | {
      readonly status: "processing";
      readonly copyKey: string;
      readonly processingAt: Millis;
      readonly tries: number;
    }
  | { readonly status: "ready"; readonly copyKey: string; readonly attachmentId: string }
  /** `copyKey` and `processingAt`: null if the posted file was refused. */
  | {
      readonly status: "failed";
      readonly error: UploadError;
      readonly copyKey: string | null;
      readonly processingAt: Millis | null;
    };

/** The state of an upload at a time: the stored state, or its end by time, which a reader stores before it shows it. */
export function uploadStateAt({ state }: { readonly state: UploadState }, now: Millis): UploadState {
  if (state.status !== "processing" || now < state.processingAt + UPLOAD_PROCESSING_MAX) return state;
  const { copyKey, processingAt } = state;
  return { status: "failed", error: uploadError("internal_error"), copyKey, processingAt };
}

/** What a call of the platform is given at least. One that began later could hardly end in time. */
const CALL_RESERVE: Millis = 10 * SECOND;

/** From this time on the hand-over begins no call. */
export function uploadLeavesBy(processingAt: Millis): Millis {
  return processingAt + UPLOAD_PROCESSING_MAX - CALL_RESERVE;
}

export function uploadError(reason: Reason, detail: string | null = null): UploadError {
  const { code, message } = toHttpError(reason);
  return { code, message, detail };
}

const UPLOAD_ID_PREFIX = "upl_";

export function newUploadId(now: Millis): string {
  return uploadIdFromUlid(newUlid(now));
}

/** The upload id for a ULID. Repeated creations with the same ULID make the same upload. */
export function uploadIdFromUlid(ulid: string): string {
  return `${UPLOAD_ID_PREFIX}${ulid}`;
}

/** The id of an upload; null for any other text. */
export function parseUploadId(text: string): string | null {
  return text.startsWith(UPLOAD_ID_PREFIX) && isUlid(text.slice(UPLOAD_ID_PREFIX.length)) ? text : null;
}

export function uploadCreatedAt(id: string): Millis {
  return ulidTime(id.slice(UPLOAD_ID_PREFIX.length));
}

/** When the grant of an upload ends. */
export function grantExpiresAt(createdAt: Millis): Millis {
  return createdAt + UPLOAD_GRANT_LIFETIME;
}

/** Until when (exclusive) an upload can be finished: one hour before a purge may delete its files. */
export function finishableUntil(id: string): Millis {
  return hourStart(uploadCreatedAt(id)) + UPLOAD_FINISHABLE;
}

/** Whether an upload can still be read. It cannot one day after it was created. */
export function isUploadReadable(id: string, now: Millis): boolean {
  return now < uploadCreatedAt(id) + UPLOAD_READABLE;
}

/** What clients post, and the checked copies. Both sort by the hour of their upload's creation. */
export const POSTED_PREFIX = "u/";
export const COPY_PREFIX = "h/";

/** The hour of an instant, as the keys of files name it: `2026-11-22T20`. */
export function uploadHour(at: Millis): string {
  return iso(at).slice(0, 13);
}

/** Where the client posts the file. */
export function postedKey(id: string): string {
  return `${POSTED_PREFIX}${uploadHour(uploadCreatedAt(id))}/${id}`;
}

/**
 * Where the checked copy is. No grant can write it.
 * @param copy `random`: unpredictable and of this copy alone; `name`: see `copyName`
 */
export function copyKey({ id, random, name }: { readonly id: string; readonly random: string; readonly name: string }) {
  return `${COPY_PREFIX}${uploadHour(uploadCreatedAt(id))}/${random}/${name}`;
}

/** What a purge may be late. */
const PURGE_DELAY_MAX: Millis = 5 * MINUTE;

/** A purge deletes the files of every hour that sorts before this one: the next purge could be too late for them. */
export function purgedBeforeHour(now: Millis): string {
  return uploadHour(now + PURGE_DELAY_MAX - UPLOAD_STORED_MAX + HOUR);
}

function hourStart(at: Millis): Millis {
  return Math.floor(at / HOUR) * HOUR;
}
