import { useSyncExternalStore } from "react";
import { type Preferences, parsePreferences } from "./stored-preferences.ts";

const KEY = "parley.preferences";

let current: Preferences | undefined;
const listeners = new Set<() => void>();

export function preferences(): Preferences {
  current ??= parsePreferences(read());
  return current;
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...preferences(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // A browser without storage keeps them until the page is left.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferences);
}

/** Shows the theme that the person chose; without a choice, that of the system. */
export function applyTheme(): void {
  const { theme } = preferences();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
