import { element } from "./elements.ts";

/** The texts of this page in its language. The page has them as data, so that one script serves all languages. */
export function pageTexts<T>(): T {
  return JSON.parse(element("texts", HTMLScriptElement).textContent ?? "") as T;
}

/** The language of the page, for numbers and times. */
export function pageLanguage(): string {
  return document.documentElement.lang;
}
