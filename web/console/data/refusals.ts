import type { ResponseInfo } from "#client";

// What the whole page must know of a refused call, as events of the window: `parley:signed-out` when the session has
// ended, `parley:forbidden` when the role or the state of the workspace has changed.

const page = globalThis as unknown as Pick<EventTarget, "dispatchEvent">;

/** Reports a response that the whole page must know of. */
export function reportRefusal({ status }: Pick<ResponseInfo, "status">): void {
  if (status === 401) page.dispatchEvent(new Event("parley:signed-out"));
  if (status === 403) page.dispatchEvent(new Event("parley:forbidden"));
}
