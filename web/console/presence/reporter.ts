/** What this person does with a conversation. */
interface Activity {
  readonly conversation: string;
  readonly state: "reading" | "writing";
}

interface ReporterPorts {
  /** Reports a state; one that the others know already is not sent. */
  readonly report: (conversation: string, state: Activity["state"] | "left") => void;
  /** Sends a state also where the others know it. */
  readonly repeat: (activity: Activity) => void;
  /** Milliseconds of a clock that only runs forward. */
  readonly now: () => number;
}

/** A person who typed nothing for this long reads. */
const WRITING_MS = 8_000;
/** A person who touched nothing for this long has gone. */
const AWAY_MS = 5 * 60_000;
/** Colleagues who come at the same time are answered with one report. */
const REPEAT_AFTER_MS = 5_000;

/**
 * Reports what this person does with the open conversation: reads it, writes in it, has left it. Nothing is reported while
 * the page is hidden, while the person is away, and in a workspace without colleagues. `update` is called every few
 * seconds, so that a state is repeated before the others forget it.
 */
export class PresenceReporter {
  readonly #ports: ReporterPorts;
  #open: string | null = null;
  #isVisible = false;
  #hasColleagues = false;
  #touchedAt: number;
  /** When the person typed last, and where; null when they sent it or took it back. */
  #typed: { readonly conversation: string; readonly at: number } | null = null;
  #reported: Activity | null = null;
  #greetedAt = 0;

  constructor(ports: ReporterPorts) {
    this.#ports = ports;
    this.#touchedAt = ports.now();
  }

  /** What the page shows. @param open the conversation; null without one */
  show(view: { readonly open: string | null; readonly isVisible: boolean; readonly hasColleagues: boolean }): void {
    if (view.open !== this.#open || (view.isVisible && !this.#isVisible)) this.#touchedAt = this.#ports.now();
    this.#open = view.open;
    this.#isVisible = view.isVisible;
    this.#hasColleagues = view.hasColleagues;
    this.update();
  }

  /** The person moved the pointer or pressed a key. */
  touch(): void {
    const wasAway = this.#isAway();
    this.#touchedAt = this.#ports.now();
    if (wasAway) this.update();
  }

  /** The text of a conversation changed. @param isWriting false when it is empty, such as after it was sent */
  write(conversation: string, isWriting: boolean): void {
    const at = this.#ports.now();
    this.#touchedAt = at;
    this.#typed = isWriting ? { conversation, at } : null;
    this.update();
  }

  /** A colleague has opened a conversation: where it is the one that is open here, they learn that this person is there. */
  greet(conversation: string): void {
    const now = this.#ports.now();
    if (this.#reported?.conversation !== conversation || now - this.#greetedAt < REPEAT_AFTER_MS) return;
    this.#greetedAt = now;
    this.#ports.repeat(this.#reported);
  }

  /** Reports the state when it changed or is due again. */
  update(): void {
    const activity = this.#activity();
    const before = this.#reported;
    this.#reported = activity;
    if (before !== null && before.conversation !== activity?.conversation) {
      this.#ports.report(before.conversation, "left");
    }
    if (activity === null) return;
    if (before?.conversation !== activity.conversation) this.#greetedAt = this.#ports.now();
    this.#ports.report(activity.conversation, activity.state);
  }

  #activity(): Activity | null {
    const conversation = this.#open;
    if (conversation === null || !this.#isVisible || !this.#hasColleagues || this.#isAway()) return null;
    const isWriting = this.#typed?.conversation === conversation && this.#ports.now() - this.#typed.at < WRITING_MS;
    return { conversation, state: isWriting ? "writing" : "reading" };
  }

  #isAway(): boolean {
    return this.#ports.now() - this.#touchedAt >= AWAY_MS;
  }
}
