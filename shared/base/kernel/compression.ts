import { zlib } from "./node/zlib.ts";

const DECOMPRESSED_BYTES_MAX = 16 * 1024 * 1024;

/** gzip at level 1: the bytes live for seconds on a queue, or for days in a file that is rarely read. */
export function compress(bytes: Uint8Array | string): Uint8Array {
  return zlib().gzipSync(bytes, { level: 1 });
}

/** Throws when the bytes are not gzip or decompress to more than 16 MiB. */
export function decompress(bytes: Uint8Array): Uint8Array {
  return zlib().gunzipSync(bytes, { maxOutputLength: DECOMPRESSED_BYTES_MAX });
}
