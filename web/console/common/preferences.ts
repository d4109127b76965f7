import { useSyncExternalStore } from "react";

// What a person prefers in this browser. It names no person and no conversation.

export interface Preferences {
  readonly theme: "light" | "dark" | "system";
  readonly sound: boolean;
  readonly notifications: boolean;
  /** Whether single letters are keys. */
  readonly keys: boolean;
}

const KEY = "parley.preferences";
const defaults: Preferences = { theme: "system", sound: false, notifications: false, keys: true };

/** What is stored. Anything that is no preference counts as the default. */
export function parsePreferences(text: string | null): Preferences {
  try {
    const { theme, sound, notifications, keys } = JSON.parse(text ?? "{}");
    return {
      theme: theme === "light" || theme === "dark" ? theme : "system",
      sound: sound === true,
      notifications: notifications === true,
      keys: keys !== false,
    };
  } catch {
    return defaults;
  }
}

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
