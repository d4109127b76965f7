import type * as english from "./en.ts";

/** What every language says in place of the English texts: the same names, with the same `{values}`. */
export type CheckPageTexts = typeof english.checkPage;
export type SignInPageTexts = typeof english.signInPages;
export type LoginStartPageTexts = typeof english.loginStartPage;
export type DeletionPageTexts = typeof english.deletionPage;
export type MailTexts = typeof english.mails;

/** Replaces each `{name}` of a text by its value. A name without a value stays as it is. */
export function fillText(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
