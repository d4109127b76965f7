import { createHash } from "node:crypto";
import { type Color, encodePng } from "./png.ts";

const palettes: Color[][] = [
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
  const mix = (a: Color, b: Color, share: number): Color => {
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
