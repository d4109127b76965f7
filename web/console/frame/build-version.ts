/** The path of the main script that a page of the console names: it has a hash of the build. Null when it names none. */
export function mainScript(html: string): string | null {
  const script = /<script[^>]{0,200}\ssrc="(\/app\/assets\/[\w.-]{1,100}\.js)"/.exec(html);
  return script?.[1] ?? null;
}
