// The field of an answer reports each change to what is fetched later, as an event of the window.

interface Writing {
  readonly conversation: string;
  readonly isWriting: boolean;
}

const TYPE = "parley:writing";

/** The text of a conversation changed. @param isWriting false when it is empty */
export function signalWriting(conversation: string, isWriting: boolean): void {
  dispatchEvent(new CustomEvent<Writing>(TYPE, { detail: { conversation, isWriting } }));
}

/** Calls a listener with each change. @returns ends it */
export function onWriting(listener: (writing: Writing) => void): () => void {
  const onEvent = (event: Event) => listener((event as CustomEvent<Writing>).detail);
  addEventListener(TYPE, onEvent);
  return () => removeEventListener(TYPE, onEvent);
}
