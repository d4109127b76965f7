import type { Platform } from "../../data/types.ts";

/** How much of a platform's limit a text uses. */
export interface TextUse {
  readonly used: number;
  readonly max: number;
  readonly unit: "bytes" | "characters";
  readonly isOver: boolean;
  /** The count is worth showing: from 80 % on. */
  readonly isNear: boolean;
}

const limits = {
  instagram: { max: 1_000, unit: "bytes" },
  messenger: { max: 2_000, unit: "characters" },
} as const;

/** Instagram counts bytes of UTF-8, Messenger counts characters. */
export function textUse(platform: Platform, text: string): TextUse {
  const { max, unit } = limits[platform];
  const used = unit === "bytes" ? new TextEncoder().encode(text).length : Array.from(text).length;
  return { used, max, unit, isOver: used > max, isNear: used >= 0.8 * max };
}
