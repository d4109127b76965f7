/** Asks the list for its next conversation that needs a reply. */
const EVENT = "parley:next-conversation";

interface NextRequest {
  /** The conversation that is left. */
  readonly from: string | null;
  /** Whether the person goes on writing there. */
  readonly isWriting: boolean;
}

/** Opens the next conversation that needs a reply, as the list shows them; without one, everything stays. */
export function openNextConversation(request: NextRequest): void {
  dispatchEvent(new CustomEvent<NextRequest>(EVENT, { detail: request }));
}

/** Calls the list's function with each request. @returns ends it */
export function onNextConversation(open: (request: NextRequest) => void): () => void {
  const listener = (event: Event) => open((event as CustomEvent<NextRequest>).detail);
  addEventListener(EVENT, listener);
  return () => removeEventListener(EVENT, listener);
}

/** Puts the focus into the composer as soon as the thread that is being opened is drawn. */
export function focusComposerSoon(): void {
  requestAnimationFrame(() => requestAnimationFrame(() => dispatchEvent(new Event("parley:focus-composer"))));
}
