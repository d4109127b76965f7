import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = 8;
const COLORS_MAX = 256;

/**
 * Reduces a screenshot to at most 256 colors, which makes it about three times smaller.
 * @param png 8 bits a channel, RGB or RGBA, not interlaced, as browsers write it. Its transparency is lost.
 */
export function toIndexedPng(png: Buffer): Buffer {
  const { width, height, bytes } = readPixels(png);
  const counts = new Map<number, number>();
  for (let at = 0; at < bytes.length; at += 3) {
    const color = bytes.readUIntBE(at, 3);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  // Flat areas, which are nearly all, have exactly their color.
  const byCount = [...counts].sort(([a, countA], [b, countB]) => countB - countA || a - b);
  const palette = byCount.slice(0, COLORS_MAX).map(([color]) => channels(color));
  const nearest = new Map([...counts.keys()].map((color) => [color, nearestIn(palette, channels(color))]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows[y * (width + 1) + 1 + x] = nearest.get(bytes.readUIntBE((y * width + x) * 3, 3)) ?? 0;
    }
  }
  const head = Buffer.from(png.subarray(SIGNATURE + 8, SIGNATURE + 21));
  head[9] = 3;
  return Buffer.concat([
    png.subarray(0, SIGNATURE),
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from(palette.flat())),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

type Channels = readonly [red: number, green: number, blue: number];

function channels(color: number): Channels {
  return [color >> 16, (color >> 8) & 255, color & 255];
}

function nearestIn(palette: readonly Channels[], [red, green, blue]: Channels): number {
  const distances = palette.map(([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2);
  return distances.indexOf(Math.min(...distances));
}

function readPixels(png: Buffer): { width: number; height: number; bytes: Buffer } {
  const width = png.readUInt32BE(SIGNATURE + 8);
  const height = png.readUInt32BE(SIGNATURE + 12);
  const size = png[SIGNATURE + 17] === 6 ? 4 : 3;
  const data: Buffer[] = [];
  for (let at = SIGNATURE; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + length));
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * size;
  const lines = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const left = x < size ? 0 : (lines[y * stride + x - size] ?? 0);
      const above = y === 0 ? 0 : (lines[(y - 1) * stride + x] ?? 0);
      const corner = y === 0 || x < size ? 0 : (lines[(y - 1) * stride + x - size] ?? 0);
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      lines[y * stride + x] = (raw[y * (stride + 1) + 1 + x] ?? 0) + predicted;
    }
  }
  const bytes = Buffer.alloc(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) {
    lines.copy(bytes, pixel * 3, pixel * size, pixel * size + 3);
  }
  return { width, height, bytes };
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
