// The pictures of messages that this page sent. Until the platform names an address, the page shows its own copy.

const previewsById = new Map<string, readonly (string | null)[]>();

/** Notes the pictures of a message in its order; null for a file that is no picture. They are `blob:` addresses of this page. */
export function noteSentFiles(messageId: string, previews: readonly (string | null)[]): void {
  previewsById.set(messageId, previews);
}

/** This page's copy of a picture; null when it has none. */
export function sentFile(messageId: string, index: number): string | null {
  return previewsById.get(messageId)?.[index] ?? null;
}
