import { useCallback, useState } from "react";
import { useWorkspace } from "../../data/workspace.tsx";
import { formatMemory, type ListChoice, type ListMemory, parseMemory, withPlace } from "./view-state.ts";

/** The choice of this tab in the workspace, and the function that changes a part of it. */
export function useChoice(): readonly [ListChoice, (change: Partial<ListChoice>) => void] {
  const { tenant } = useWorkspace();
  const [choice, setChoice] = useState(() => read(tenant).choice);
  const change = useCallback(
    (part: Partial<ListChoice>) => {
      setChoice((before) => {
        const next = { ...before, ...part };
        write(tenant, { ...read(tenant), choice: next });
        return next;
      });
    },
    [tenant],
  );
  return [choice, change];
}

/** Where a list was left in this tab, in pixels. */
export function placeOf(tenant: string, key: string): number {
  return read(tenant).places[key] ?? 0;
}

/** Keeps the place of a list without drawing it again. */
export function keepPlace(tenant: string, key: string, place: number): void {
  write(tenant, withPlace(read(tenant), key, place));
}

/** Accounts belong to a workspace, so each workspace has its own choice. */
function storageKey(tenant: string): string {
  return `parley.list.${tenant}`;
}

function read(tenant: string): ListMemory {
  try {
    return parseMemory(sessionStorage.getItem(storageKey(tenant)));
  } catch {
    return parseMemory(null);
  }
}

function write(tenant: string, memory: ListMemory): void {
  try {
    sessionStorage.setItem(storageKey(tenant), formatMemory(memory));
  } catch {
    // A browser without storage keeps the choice until the page is left.
  }
}
