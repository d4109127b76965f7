import { useCallback, useState } from "react";

// In which workspaces the first steps are done or hidden in this browser. It names no person and no conversation.

const KEY = "parley.started";
const WORKSPACES_MAX = 100;

/** The workspaces that a stored text names. Anything else counts as none. */
export function parseFinished(text: string | null): readonly string[] {
  try {
    const list: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(list) ? list.filter((each) => typeof each === "string").slice(-WORKSPACES_MAX) : [];
  } catch {
    return [];
  }
}

/** Whether the first steps of a workspace are finished, and what finishes them for good. */
export function useFinished(tenant: string): { readonly isFinished: boolean; readonly finish: () => void } {
  const [isFinished, setFinished] = useState(() => read().includes(tenant));
  const finish = useCallback(() => {
    setFinished(true);
    try {
      const others = read().filter((each) => each !== tenant);
      localStorage.setItem(KEY, JSON.stringify([...others, tenant].slice(-WORKSPACES_MAX)));
    } catch {
      // A browser without storage shows them again.
    }
  }, [tenant]);
  return { isFinished, finish };
}

function read(): readonly string[] {
  try {
    return parseFinished(localStorage.getItem(KEY));
  } catch {
    return [];
  }
}
