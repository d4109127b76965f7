import { crc32, deflateSync } from "node:zlib";

function chunk(type: string, data: Buffer): Buffer {
  const typedData = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8 + typedData.length);
  frame.writeUInt32BE(data.length, 0);
  typedData.copy(frame, 4);
  frame.writeUInt32BE(crc32(typedData), 4 + typedData.length);
  return frame;
}

/** Red, green and blue, each from 0 to 255. */
export type Color = readonly [number, number, number];

/** An RGB picture as a PNG file. `pixel` returns the color of a position, whose coordinates are from 0 to 1. */
export function encodePng(width: number, height: number, pixel: (x: number, y: number) => Color): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [red, green, blue] = pixel(x / width, y / height);
      const at = y * (1 + width * 3) + 1 + x * 3;
      rows[at] = red;
      rows[at + 1] = green;
      rows[at + 2] = blue;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
