/** An element of the page. Throws when the page has none. */
export function element<T extends Element>(id: string, type: new () => T): T {
  const node = document.getElementById(id);
  if (!(node instanceof type)) throw new Error(`The page has no #${id}.`);
  return node;
}
