import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

function chunk(type: string, data: Buffer): Buffer {
  const typedData = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8 + typedData.length);
  frame.writeUInt32BE(data.length, 0);
  typedData.copy(frame, 4);
  frame.writeUInt32BE(crc32(typedData), 4 + typedData.length);
  return frame;
}

/** An RGB picture as a PNG file. `pixel` returns the color of a position, each component from 0 to 255. */
function encodePng(width: number, height: number, pixel: (x: number, y: number) => [number, number, number]): Buffer {
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

const palettes: [number, number, number][][] = [
  [
    [255, 214, 165],
    [244, 132, 95],
    [76, 56, 96],
  ],
  [
    [202, 233, 245],
    [92, 158, 193],
    [24, 62, 92],
  ],
  [
    [244, 236, 200],
    [147, 178, 118],
    [44, 82, 66],
  ],
  [
    [250, 218, 226],
    [203, 122, 160],
    [72, 44, 92],
  ],
];

/** A small landscape that depends only on `name`: a picture to send that has no copyright. */
export function sampleImage(name: string): Buffer {
  const seed = createHash("sha256").update(name).digest();
  const number = (at: number): number => (seed[at] ?? 0) / 255;
  const [sky, middle, ground] = palettes[(seed[0] ?? 0) % palettes.length] ?? [];
  if (sky === undefined || middle === undefined || ground === undefined) throw new Error("a palette has three colors");
  const mix = (a: number[], b: number[], share: number): [number, number, number] => {
    const part = (at: number): number => Math.round((a[at] ?? 0) * (1 - share) + (b[at] ?? 0) * share);
    return [part(0), part(1), part(2)];
  };
  const hill = (x: number, base: number, at: number): number =>
    base + 0.07 * Math.sin((x + number(at)) * (4 + 3 * number(at + 1))) + 0.03 * Math.sin((x + number(at + 2)) * 13);
  const sun = { x: 0.2 + 0.6 * number(9), y: 0.2 + 0.15 * number(10) };
  return encodePng(480, 360, (x, y) => {
    if (y > hill(x, 0.78, 1)) return ground;
    if (y > hill(x, 0.62, 5)) return mix(middle, ground, 0.45);
    const sunny = Math.hypot((x - sun.x) * 4, (y - sun.y) * 3) < 0.28;
    return sunny ? [255, 250, 235] : mix(sky, middle, Math.min(1, y * 1.2));
  });
}
