const UNDO_MAX = 20;

/** What was marked as done in this page and can be undone, the newest last. */
const done: { readonly tenant: string; readonly id: string }[] = [];

export function pushUndo(tenant: string, id: string): void {
  dropUndo(tenant, id);
  done.push({ tenant, id });
  if (done.length > UNDO_MAX) done.shift();
}

/** Forgets a conversation that needs a reply again. */
export function dropUndo(tenant: string, id: string): void {
  const index = done.findIndex((each) => each.tenant === tenant && each.id === id);
  if (index !== -1) done.splice(index, 1);
}

/** Takes the newest conversation of a workspace; null when there is none. */
export function takeUndo(tenant: string): string | null {
  const newest = done.findLast((each) => each.tenant === tenant);
  if (newest === undefined) return null;
  dropUndo(tenant, newest.id);
  return newest.id;
}
