import { type Arrival, afterArrival, noGroups, type Shown } from "./groups.ts";
import { notificationPermission } from "./permission.ts";
import { texts } from "./texts.ts";

/** Shows the notifications of a workspace, and ends them when the person looks. */
export class Notifier {
  readonly #tenant: string;
  readonly #onPress: (conversation: string | null) => void;
  readonly #shown = new Map<string, Notification>();
  #groups = noGroups;

  /** @param onPress the conversation of the notification; null where it stands for several */
  constructor(tenant: string, onPress: (conversation: string | null) => void) {
    this.#tenant = tenant;
    this.#onPress = onPress;
  }

  show(arrival: Arrival): void {
    if (notificationPermission() !== "allowed") return;
    const { groups, shown } = afterArrival(this.#groups, arrival, { tenant: this.#tenant, words: texts });
    this.#groups = groups;
    for (const tag of shown.replaces) this.#end(tag);
    this.#open(shown);
  }

  /** The person looks: what is shown is known. */
  clear(): void {
    this.#groups = noGroups;
    for (const tag of [...this.#shown.keys()]) this.#end(tag);
  }

  #open({ tag, title, body, renotify, conversation }: Shown): void {
    let notification: Notification;
    try {
      notification = new Notification(title, { body, tag, renotify } as NotificationOptions);
    } catch {
      // Browsers of Android take them from service workers alone.
      return;
    }
    this.#shown.set(tag, notification);
    notification.addEventListener("click", () => {
      window.focus();
      this.#onPress(conversation);
      notification.close();
    });
  }

  #end(tag: string): void {
    this.#shown.get(tag)?.close();
    this.#shown.delete(tag);
  }
}
