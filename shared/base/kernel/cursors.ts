import { hmacSha256, sameBytes } from "./bytes.ts";
import { type KeyRing, type KeyVersion, mayHaveSealed, openWith } from "./key-ring.ts";
import { DAY, type Millis } from "./time.ts";

// cursor = base64url( 8 bytes: hash of scope ‖ 16 bytes: tag ‖ 6 bytes: when it was sealed, in ms ‖ position )
// Earlier releases wrote no time. The newest key opens such a cursor; a replaced one does not.
// The position is the tail of a sort key and never a partition key, so a cursor cannot move between tenants. The scope
// names route, tenant and filters, so a cursor opens only for the query that returned it.

const SCOPE_BYTES = 8;
const TAG_BYTES = 16;
const TIME_BYTES = 6;
/** How long a replaced key opens what it sealed: rows are stored for no longer. */
const LIFETIME: Millis = 7 * DAY;
const LENGTH_MAX = 400;

/** @param scope route, tenant and filters */
export function sealCursor(keys: KeyRing, scope: string, position: string, now: Millis): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(now, 0, TIME_BYTES);
  const content = Buffer.concat([time, Buffer.from(position)]);
  return Buffer.concat([...parts(keys.current.key, scope, content), content]).toString("base64url");
}

/** @returns the position; null when the cursor is malformed, altered or from another scope */
export function openCursor(keys: KeyRing, scope: string, cursor: string, now: Millis): string | null {
  if (cursor.length > LENGTH_MAX || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null;
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.length <= SCOPE_BYTES + TAG_BYTES || bytes.toString("base64url") !== cursor) return null;
  const content = bytes.subarray(SCOPE_BYTES + TAG_BYTES);
  const head = bytes.subarray(0, SCOPE_BYTES + TAG_BYTES);
  const sealedAt = content.length > TIME_BYTES ? content.readUIntBE(0, TIME_BYTES) : Infinity;
  return openWith(keys, (version) => {
    if (sameBytes(head, Buffer.concat(parts(version.key, scope, content)))) {
      return isOpen(version, sealedAt, now) ? content.subarray(TIME_BYTES).toString() : null;
    }
    const position = content.toString();
    const isEarlier = sameBytes(head, Buffer.concat(partsWithoutTime(version.key, scope, position)));
    return isEarlier && version.sealsUntil === undefined ? position : null;
  });
}

function isOpen(version: KeyVersion, sealedAt: Millis, now: Millis): boolean {
  return version.sealsUntil === undefined || (mayHaveSealed(version, sealedAt) && now < sealedAt + LIFETIME);
}

function parts(key: Uint8Array, scope: string, content: Uint8Array): [Buffer, Buffer] {
  const scopeHash = hmacSha256(key, `scope\n${scope}`).subarray(0, SCOPE_BYTES);
  const text = Buffer.from(content).toString("base64url");
  const tag = hmacSha256(key, `cursor 2\n${scope}\n${text}`).subarray(0, TAG_BYTES);
  return [scopeHash, tag];
}

/** As earlier releases sealed. */
function partsWithoutTime(key: Uint8Array, scope: string, position: string): [Buffer, Buffer] {
  const scopeHash = hmacSha256(key, `scope\n${scope}`).subarray(0, SCOPE_BYTES);
  const tag = hmacSha256(key, `cursor\n${scope}\n${position}`).subarray(0, TAG_BYTES);
  return [scopeHash, tag];
}
