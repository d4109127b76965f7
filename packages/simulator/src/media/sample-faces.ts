import { createHash } from "node:crypto";
import { type Color, encodePng } from "./png.ts";

// Profile pictures that have no copyright: drawn faces of people, and marks of accounts. Each depends only on a name.

type Draw = (x: number, y: number) => Color;

const SIZE = 192;

const walls: Color[] = [
  [244, 211, 180],
  [190, 214, 226],
  [203, 220, 190],
  [232, 205, 219],
  [214, 206, 236],
  [240, 224, 170],
];
const skins: Color[] = [
  [250, 219, 194],
  [233, 190, 158],
  [198, 144, 108],
  [147, 98, 70],
  [102, 66, 50],
];
const hairs: Color[] = [
  [44, 34, 32],
  [92, 58, 38],
  [176, 122, 68],
  [120, 116, 118],
  [150, 64, 44],
];
const clothes: Color[] = [
  [38, 84, 92],
  [150, 72, 62],
  [76, 70, 122],
  [58, 104, 74],
  [186, 138, 60],
];

/** A drawn person before a plain wall. */
export function samplePortrait(name: string): Buffer {
  const { pick, share } = choices(name);
  const [wall, skin, hair, shirt] = [pick(walls), pick(skins), pick(hairs), pick(clothes)];
  const neck: Color = [skin[0] * 0.9, skin[1] * 0.88, skin[2] * 0.86];
  const isLong = share() > 0.5;
  const fringe = 0.3 + 0.05 * share();
  const part = 0.3 * (share() - 0.5);
  return drawn((x, y) => {
    const isOnCap = within(x, y, { x: 0.5, y: 0.385, across: 0.19, down: 0.205 });
    if (isOnCap && y < fringe + part * (x - 0.5)) return hair;
    if (within(x, y, { x: 0.5, y: 0.42, across: 0.165, down: 0.205 })) return skin;
    if (isLong && within(x, y, { x: 0.5, y: 0.47, across: 0.225, down: 0.29 }) && y < 0.72) return hair;
    if (!isLong && isOnCap && y < 0.4) return hair;
    if (within(x, y, { x: 0.5, y: 1.02, across: 0.38, down: 0.31 })) {
      return within(x, y, { x: 0.5, y: 0.7, across: 0.085, down: 0.075 }) ? neck : shirt;
    }
    return Math.abs(x - 0.5) < 0.07 && y > 0.5 && y < 0.75 ? neck : wall;
  });
}

/** A mark of two colors, such as a shop has. */
export function sampleMark(name: string): Buffer {
  const { pick } = choices(name);
  const [ground, ink] = [pick(clothes), pick(walls)];
  const mark = pick<(x: number, y: number) => boolean>([
    // A bowl below a sun.
    (x, y) =>
      (within(x, y, { x: 0.5, y: 0.52, across: 0.3, down: 0.3 }) && y > 0.54) ||
      within(x, y, { x: 0.5, y: 0.34, across: 0.11, down: 0.11 }),
    // A ring.
    (x, y) =>
      within(x, y, { x: 0.5, y: 0.5, across: 0.31, down: 0.31 }) &&
      !within(x, y, { x: 0.5, y: 0.5, across: 0.19, down: 0.19 }),
    // Three bars.
    (x, y) => y > 0.24 && y < 0.76 && [0.27, 0.5, 0.73].some((middle) => Math.abs(x - middle) < 0.075),
    // Two leaves.
    (x, y) =>
      (within(x, y, { x: 0.36, y: 0.36, across: 0.2, down: 0.2 }) && x + y > 0.6) ||
      (within(x, y, { x: 0.6, y: 0.62, across: 0.2, down: 0.2 }) && x + y < 1.34),
  ]);
  return drawn((x, y) => (mark(x, y) ? ink : ground));
}

/** Choices that follow one another and depend only on a name. */
function choices(name: string) {
  const seed = createHash("sha256").update(name).digest();
  let at = 0;
  const next = (): number => seed[at++ % seed.length] ?? 0;
  return {
    share: (): number => next() / 255,
    pick<T>(values: readonly [T, ...T[]] | readonly T[]): T {
      const value = values[next() % values.length];
      if (value === undefined) throw new Error("There is nothing to choose from.");
      return value;
    },
  };
}

interface Ellipse {
  readonly x: number;
  readonly y: number;
  /** Half of its width, and of its height. */
  readonly across: number;
  readonly down: number;
}

function within(x: number, y: number, ellipse: Ellipse): boolean {
  return Math.hypot((x - ellipse.x) / ellipse.across, (y - ellipse.y) / ellipse.down) <= 1;
}

/** Each pixel is the mean of four positions, for smooth edges. */
function drawn(draw: Draw): Buffer {
  const step = 0.5 / SIZE;
  return encodePng(SIZE, SIZE, (x, y) => {
    const colors = [draw(x, y), draw(x + step, y), draw(x, y + step), draw(x + step, y + step)];
    const mean = (at: 0 | 1 | 2): number => Math.round(colors.reduce((sum, color) => sum + color[at], 0) / 4);
    return [mean(0), mean(1), mean(2)];
  });
}
