/** After a pause of this length a letter begins a new search. */
const PAUSE_MS = 700;

/** Finds the item of a list that begins with what a person types. One letter again and again goes through all that begin with it. */
export class TypeAhead {
  #typed = "";
  #at = Number.NEGATIVE_INFINITY;

  /**
   * @param key one character
   * @param labels of all items @param index of the item with the focus, -1 without @param now milliseconds
   * @returns the index of the item; null when none begins so
   */
  next(
    key: string,
    { labels, index, now }: { readonly labels: readonly string[]; readonly index: number; readonly now: number },
  ): number | null {
    if (now - this.#at > PAUSE_MS) this.#typed = "";
    this.#at = now;
    this.#typed += key.toLowerCase();
    const isOneLetter = [...this.#typed].every((letter) => letter === this.#typed[0]);
    const start = isOneLetter ? this.#typed.slice(0, 1) : this.#typed;
    const first = isOneLetter ? index + 1 : Math.max(index, 0);
    for (let step = 0; step < labels.length; step++) {
      const at = (first + step) % labels.length;
      if (labels[at]?.trim().toLowerCase().startsWith(start)) return at;
    }
    return null;
  }

  /** Whether a space belongs to what is being typed: otherwise it presses the item. */
  isTyping(now: number): boolean {
    return this.#typed !== "" && now - this.#at <= PAUSE_MS;
  }
}
