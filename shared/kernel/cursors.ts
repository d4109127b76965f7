import { hmacSha256, sameBytes } from "./bytes.ts";
import { type KeyRing, openWith } from "./key-ring.ts";

// cursor = base64url( 8 bytes: hash of scope ‖ 16 bytes: tag ‖ position )
// The position is the tail of a sort key and never a partition key, so a cursor cannot move between tenants. The scope
// names route, tenant and filters, so a cursor opens only for the query that returned it.

const SCOPE_BYTES = 8;
const TAG_BYTES = 16;
const LENGTH_MAX = 400;

/** @param scope route, tenant and filters */
export function sealCursor(keys: KeyRing, scope: string, position: string): string {
  return Buffer.concat([...parts(keys.current.key, scope, position), Buffer.from(position)]).toString("base64url");
}

/** @returns the position; null when the cursor is malformed, altered or from another scope */
export function openCursor(keys: KeyRing, scope: string, cursor: string): string | null {
  if (cursor.length > LENGTH_MAX || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null;
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.length <= SCOPE_BYTES + TAG_BYTES || bytes.toString("base64url") !== cursor) return null;
  const position = bytes.subarray(SCOPE_BYTES + TAG_BYTES).toString();
  const head = bytes.subarray(0, SCOPE_BYTES + TAG_BYTES);
  return openWith(keys, (key) => (sameBytes(head, Buffer.concat(parts(key, scope, position))) ? position : null));
}

function parts(key: Uint8Array, scope: string, position: string): [Buffer, Buffer] {
  const scopeHash = hmacSha256(key, `scope\n${scope}`).subarray(0, SCOPE_BYTES);
  const tag = hmacSha256(key, `cursor\n${scope}\n${position}`).subarray(0, TAG_BYTES);
  return [scopeHash, tag];
}
