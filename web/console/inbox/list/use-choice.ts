import { useCallback, useState } from "react";
import { type ListChoice, parseChoice } from "./view-state.ts";

const KEY = "parley.list";

/** The choice of this tab, and the function that changes a part of it. */
export function useChoice(): readonly [ListChoice, (change: Partial<ListChoice>) => void] {
  const [choice, setChoice] = useState(() => parseChoice(read()));
  const change = useCallback((part: Partial<ListChoice>) => {
    setChoice((before) => {
      const next = { ...before, ...part };
      write(JSON.stringify(next));
      return next;
    });
  }, []);
  return [choice, change];
}

/** Keeps the place of the list without drawing it again. */
export function keepScrollTop(scrollTop: number): void {
  write(JSON.stringify({ ...parseChoice(read()), scrollTop }));
}

function read(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function write(text: string): void {
  try {
    sessionStorage.setItem(KEY, text);
  } catch {
    // A browser without storage keeps the choice until the page is left.
  }
}
