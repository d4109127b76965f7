import { KEY_LABEL_CHARS_MAX, TENANT_NAME_CHARS_MAX } from "#base/kernel/limits.ts";
import { isPrintableLine } from "#base/kernel/text/printable.ts";

// Names and labels that people write and others read: in the console, in mails and in a terminal.

/** The blank Braille pattern is a symbol that looks like a space. */
const VISIBLE = /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

export function hasVisibleCharacter(text: string): boolean {
  return VISIBLE.test(text);
}

/** Whether a text has at most `max` characters. An emoji counts as one, as in JSON Schema. */
export function hasCharactersAtMost(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && Array.from(text).length <= max);
}

/** One line of 1 to 80 characters, of which one is visible. */
export function isTenantName(text: string): boolean {
  return hasCharactersAtMost(text, TENANT_NAME_CHARS_MAX) && isPrintableLine(text) && hasVisibleCharacter(text);
}

/** One line of at most 100 characters. It may be empty. */
export function isKeyLabel(text: string): boolean {
  return hasCharactersAtMost(text, KEY_LABEL_CHARS_MAX) && isPrintableLine(text);
}
