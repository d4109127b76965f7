// What a person prefers in this browser. It names no person and no conversation.

export interface Preferences {
  readonly theme: "light" | "dark" | "system";
  readonly sound: boolean;
  readonly notifications: boolean;
  /** Whether notifications show who wrote, and what. */
  readonly notificationTexts: boolean;
  /** Whether single letters are keys. */
  readonly keys: boolean;
}

const defaults: Preferences = {
  theme: "system",
  sound: false,
  notifications: false,
  notificationTexts: false,
  keys: true,
};

/** What is stored. Anything that is no preference counts as the default. */
export function parsePreferences(text: string | null): Preferences {
  try {
    const { theme, sound, notifications, notificationTexts, keys } = JSON.parse(text ?? "{}");
    return {
      theme: theme === "light" || theme === "dark" ? theme : "system",
      sound: sound === true,
      notifications: notifications === true,
      notificationTexts: notificationTexts === true,
      keys: keys !== false,
    };
  } catch {
    return defaults;
  }
}
