/** A key and what it does. `key` is one key as `KeyboardEvent.key` names it, or two: `g i`. */
export interface KeyBinding {
  readonly key: string;
  readonly run: () => void;
  readonly label: string;
  readonly group: string;
}

/** What of a key press counts. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
  /** Whether a text field has the focus. */
  readonly isTyping: boolean;
  /** Whether a button, link or choice has the focus, which takes Enter itself. */
  readonly isOnControl: boolean;
}

/** The second of two keys counts for this long. */
const PAIR_MS = 1_200;

/** Finds what a key press does. A key is no key while a person types, with a modifier, or while a method composes a letter. */
export class KeyMap {
  #bindings: KeyBinding[] = [];
  #first: { readonly key: string; readonly at: number } | null = null;

  /** The newest binding of a key counts. @returns removes them */
  add(bindings: readonly KeyBinding[]): () => void {
    this.#bindings = [...bindings, ...this.#bindings];
    return () => {
      this.#bindings = this.#bindings.filter((binding) => !bindings.includes(binding));
    };
  }

  /** One binding for each key, in the order of their groups. */
  list(): KeyBinding[] {
    const seen = new Set<string>();
    return this.#bindings.filter(({ key }) => !seen.has(key) && seen.add(key));
  }

  /** @param now epoch milliseconds @returns what to run, or null */
  match(press: KeyPress, now: number): KeyBinding | null {
    if (press.isTyping || press.ctrlKey || press.metaKey || press.altKey || press.isComposing) return null;
    if (press.key === "Enter" && press.isOnControl) return null;
    const first = this.#first !== null && now - this.#first.at <= PAIR_MS ? this.#first.key : null;
    this.#first = null;
    const pair = first === null ? undefined : this.#bindings.find(({ key }) => key === `${first} ${press.key}`);
    if (pair) return pair;
    if (this.#bindings.some(({ key }) => key.startsWith(`${press.key} `))) this.#first = { key: press.key, at: now };
    return this.#bindings.find(({ key }) => key === press.key) ?? null;
  }
}
