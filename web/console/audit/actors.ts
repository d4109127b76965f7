import { printableText } from "../../../packages/client/src/printable.ts";
import { texts } from "./texts.ts";

/**
 * Who an actor of the audit log is.
 * @param actor `console:<user>`, `key:<id>`, `operator:<id>`, `cli`, `restore` or `system`
 * @param personName the name of a person; null for what is none
 * @param labels the names of the keys by their ids
 */
export function actorWords(
  actor: string,
  personName: (actor: string) => string | null,
  labels: ReadonlyMap<string, string>,
): string {
  const [kind, id = ""] = splitOnce(actor);
  if (kind === "console") return personName(actor) ?? printableText(actor);
  if (kind === "key") return texts.key(labels.get(id) || printableText(id));
  if (kind === "operator" || actor === "cli") return texts.operator;
  if (actor === "restore") return texts.restore;
  return actor === "system" ? texts.parley : printableText(actor);
}

/** What an entry is about, without the name of its kind: `erp.example` is not in the log, so it is an id. */
export function resourceWords(resource: string): string {
  const [, id] = splitOnce(resource);
  return printableText(id ?? resource);
}

function splitOnce(text: string): [string, string?] {
  const end = text.indexOf(":");
  return end < 0 ? [text] : [text.slice(0, end), text.slice(end + 1)];
}
