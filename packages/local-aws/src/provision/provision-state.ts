import { readFileSync } from "node:fs";
import { writeFileAtomic } from "../support/atomic-write.ts";
import type { ProvisionContext } from "./provision-context.ts";

/** Opens the ids of the resources of earlier starts. */
export function openProvisionState(file: string): Pick<ProvisionContext, "physicalIds" | "savePhysicalId"> {
  const physicalIds = new Map(Object.entries(readProvisionState(file)));
  const savePhysicalId = (name: string, value: string): void => {
    physicalIds.set(name, value);
    writeFileAtomic(file, JSON.stringify(Object.fromEntries(physicalIds)));
  };
  return { physicalIds, savePhysicalId };
}

function readProvisionState(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}
