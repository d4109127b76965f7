import * as de from "./de.ts";
import * as en from "./en.ts";
import * as es from "./es.ts";
import * as fr from "./fr.ts";
import * as it from "./it.ts";
import type { Language } from "./languages.ts";
import * as pt from "./pt.ts";
import type { CheckPageTexts, DeletionPageTexts, LoginStartPageTexts, MailTexts, SignInPageTexts } from "./texts.ts";

// One constant for each reader, so that a bundle has the texts of its own pages only.

type ByLanguage<T> = Readonly<Record<Language, T>>;

export const checkPageTexts: ByLanguage<CheckPageTexts> = {
  de: de.checkPage,
  en: en.checkPage,
  es: es.checkPage,
  fr: fr.checkPage,
  it: it.checkPage,
  pt: pt.checkPage,
};

export const signInPageTexts: ByLanguage<SignInPageTexts> = {
  de: de.signInPages,
  en: en.signInPages,
  es: es.signInPages,
  fr: fr.signInPages,
  it: it.signInPages,
  pt: pt.signInPages,
};

export const loginStartPageTexts: ByLanguage<LoginStartPageTexts> = {
  de: de.loginStartPage,
  en: en.loginStartPage,
  es: es.loginStartPage,
  fr: fr.loginStartPage,
  it: it.loginStartPage,
  pt: pt.loginStartPage,
};

export const deletionPageTexts: ByLanguage<DeletionPageTexts> = {
  de: de.deletionPage,
  en: en.deletionPage,
  es: es.deletionPage,
  fr: fr.deletionPage,
  it: it.deletionPage,
  pt: pt.deletionPage,
};

export const mailTexts: ByLanguage<MailTexts> = {
  de: de.mails,
  en: en.mails,
  es: es.mails,
  fr: fr.mails,
  it: it.mails,
  pt: pt.mails,
};
