/**
 * Whether this browser shows notifications of this page:
 * - `unsupported`: it has none, or none for pages without HTTPS
 * - `blocked`: the person or an administrator refused them
 * - `unasked`: the person was not asked yet
 */
export type Permission = "allowed" | "blocked" | "unasked" | "unsupported";

const byBrowser = { granted: "allowed", denied: "blocked", default: "unasked" } as const;

export function notificationPermission(): Permission {
  return "Notification" in globalThis ? byBrowser[Notification.permission] : "unsupported";
}

/**
 * Asks the person, and shows a first notification. Must follow a press.
 * @param first what the first notification says
 */
export async function askForNotifications(first: {
  readonly title: string;
  readonly body: string;
}): Promise<Permission> {
  if (notificationPermission() === "unsupported") return "unsupported";
  const permission = byBrowser[await Notification.requestPermission()];
  if (permission !== "allowed") return permission;
  try {
    new Notification(first.title, { body: first.body, tag: "parley-first" });
  } catch {
    // Browsers of Android take them from service workers alone.
    return "unsupported";
  }
  return permission;
}
