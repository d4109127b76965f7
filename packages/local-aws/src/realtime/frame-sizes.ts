import type { Duplex } from "node:stream";

/** A message of a WebSocket API, in either direction. Source: API Gateway quotas. */
export const MESSAGE_BYTES_MAX = 128 * 1024;
const FRAME_MAX_BYTES = 32 * 1024;
/** Two bytes, eight of a long size, four of the mask. */
const HEADER_MAX_BYTES = 14;

/** Calls back when a client starts a frame over the gateway's limit for one frame. A message may have many frames. */
export function watchFrameSizes(socket: Duplex, onTooLarge: () => void): void {
  let header = Buffer.alloc(0);
  let payloadLeft = 0;
  const watch = (chunk: Buffer): void => {
    let at = 0;
    while (at < chunk.length) {
      if (payloadLeft > 0) {
        const skipped = Math.min(payloadLeft, chunk.length - at);
        payloadLeft -= skipped;
        at += skipped;
        continue;
      }
      const before = header.length;
      header = Buffer.concat([header, chunk.subarray(at, at + HEADER_MAX_BYTES - before)]);
      const frame = readHeader(header);
      if (frame === null) return;
      at += frame.headerBytes - before;
      payloadLeft = frame.payloadBytes;
      header = Buffer.alloc(0);
      if (payloadLeft <= FRAME_MAX_BYTES) continue;
      socket.off("data", watch);
      onTooLarge();
      return;
    }
  };
  // Before the receiver, which might have the whole message already.
  socket.prependListener("data", watch);
}

/** The sizes of a frame, from RFC 6455, section 5.2. Null while the header is incomplete. */
function readHeader(header: Buffer): { headerBytes: number; payloadBytes: number } | null {
  const [, second = 0] = header;
  const short = second & 0x7f;
  const sizeBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
  const headerBytes = 2 + sizeBytes + (second & 0x80 ? 4 : 0);
  if (header.length < Math.max(2, headerBytes)) return null;
  const payloadBytes =
    sizeBytes === 8 ? Number(header.readBigUInt64BE(2)) : sizeBytes === 2 ? header.readUInt16BE(2) : short;
  return { headerBytes, payloadBytes };
}
