/** Asks the list for its next conversation that needs a reply. */
const EVENT = "parley:next-conversation";

interface Wish {
  /** The conversation that is left. */
  readonly from: string | null;
  /** Whether the person goes on writing there. */
  readonly isWriting: boolean;
}

/** Opens the next conversation that needs a reply, as the list shows them; without one, everything stays. */
export function openNextConversation(wish: Wish): void {
  dispatchEvent(new CustomEvent<Wish>(EVENT, { detail: wish }));
}

/** Calls the list's function with each wish. @returns ends it */
export function onNextConversation(open: (wish: Wish) => void): () => void {
  const listener = (event: Event) => open((event as CustomEvent<Wish>).detail);
  addEventListener(EVENT, listener);
  return () => removeEventListener(EVENT, listener);
}

/** Puts the focus into the composer as soon as the thread that is being opened is drawn. */
export function focusComposerSoon(): void {
  requestAnimationFrame(() => requestAnimationFrame(() => dispatchEvent(new Event("parley:focus-composer"))));
}
