// Of several tabs of a browser one gives the signs: the one that the person looked at last. The browser's locks decide it, and
// free themselves when a tab ends.

/** How a lock is asked for: with others, taken from another tab, or until a signal. */
interface LockChoice {
  readonly mode?: "shared";
  readonly steal?: boolean;
  readonly signal?: AbortSignal;
}

/** What is used of the browser's `LockManager`. */
interface Locks {
  request(name: string, choice: LockChoice, callback: () => Promise<unknown>): Promise<unknown>;
  query(): Promise<{ readonly held?: readonly { readonly name?: string }[] }>;
}

/**
 * The place of this tab among those of the same person in the same workspace. Without locks, which a page without HTTPS
 * does not have, each tab counts as the only one.
 */
export class OneTab {
  readonly #locks: Locks | null;
  readonly #leading: string;
  readonly #looking: string;
  readonly #onLost: () => void;
  readonly #ending = new AbortController();
  /** The turns of this tab: none while another one has it, and two for a moment where it took its turn from itself. */
  readonly #turns = new Set<object>();
  #endLooking: (() => void) | null = null;

  /** @param name the same for all tabs that compete @param onLost another tab gives the signs from now on */
  constructor(name: string, locks: Locks | null, onLost: () => void) {
    this.#locks = locks;
    this.#onLost = onLost;
    this.#leading = `parley.signs ${name}`;
    this.#looking = `parley.looking ${name}`;
    if (locks === null) this.#turns.add(this);
    void this.#queue();
  }

  get isLeading(): boolean {
    return this.#turns.size > 0;
  }

  /** Whether a tab is looked at. */
  async isLookedAt(): Promise<boolean> {
    if (this.#locks === null) return this.#endLooking !== null;
    const { held = [] } = await this.#locks.query();
    return held.some(({ name }) => name === this.#looking);
  }

  /** This tab is looked at from now on, and gives the signs. */
  look(): void {
    if (this.#endLooking !== null || this.#ending.signal.aborted) return;
    const looking = new Promise<void>((resolve) => {
      this.#endLooking = resolve;
    });
    void this.#locks?.request(this.#looking, { mode: "shared" }, () => looking).catch(() => {});
    if (!this.isLeading) void this.#lead({ steal: true });
  }

  /** This tab is hidden. It goes on giving the signs until another one is looked at. */
  lookAway(): void {
    this.#endLooking?.();
    this.#endLooking = null;
  }

  close(): void {
    this.lookAway();
    this.#ending.abort();
    this.#turns.clear();
  }

  /** Waits for its turn, again after another tab took it. A browser that refuses locks is not asked again. */
  async #queue(): Promise<void> {
    while (await this.#lead({ signal: this.#ending.signal }));
  }

  /** Gives the signs until this tab ends, or until another one takes the turn. @returns whether another one took it */
  async #lead(options: LockChoice): Promise<boolean> {
    const { signal } = this.#ending;
    if (this.#locks === null || signal.aborted) return false;
    const turn = {};
    let [hasLed, isOver] = [false, false];
    const lead = async () => {
      // It may be taken away before this is called.
      if (isOver || signal.aborted) return;
      hasLed = true;
      this.#turns.add(turn);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    };
    // A turn that is taken away ends with an error.
    const error: unknown = await this.#locks.request(this.#leading, options, lead).catch((reason: unknown) => reason);
    isOver = true;
    this.#turns.delete(turn);
    const isTaken = hasLed || (error instanceof DOMException && error.name === "AbortError");
    if (!isTaken || signal.aborted) return false;
    if (!this.isLeading) this.#onLost();
    return true;
  }
}
