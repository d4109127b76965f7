const KEY = "parley-docs-theme";
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** The reader's choice. A browser without storage has the system's. */
export function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return themes.find((theme) => theme === stored) ?? "system";
  } catch {
    return "system";
  }
}

export function showTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
}

export function saveTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice ends with the page.
  }
}
