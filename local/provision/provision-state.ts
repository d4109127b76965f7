import { readFileSync } from "node:fs";
import { writeWhole } from "../support/atomic-write.ts";
import type { Workshop } from "./provision-context.ts";

/** What earlier starts wrote down of the things they made, and the means to write down more. */
export function openKept(file: string): Pick<Workshop, "kept" | "keep"> {
  const kept = new Map(Object.entries(readKept(file)));
  const keep = (name: string, value: string): void => {
    kept.set(name, value);
    writeWhole(file, JSON.stringify(Object.fromEntries(kept)));
  };
  return { kept, keep };
}

function readKept(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}
