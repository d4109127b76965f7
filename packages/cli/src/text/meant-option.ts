import { eventTypes } from "./event-type-names.ts";
import { nearest } from "./nearest.ts";
import { didYouMean } from "./parse-options.ts";

/** Options that take a word, by its form. */
const forms: readonly { readonly options: readonly string[]; readonly isForm: (word: string) => boolean }[] = [
  { options: ["forward-to", "url"], isForm: (word) => /^https?:\/\//.test(word) },
  { options: ["events"], isForm: (word) => word.split(",").every((name) => eventTypes.includes(name.trim())) },
  { options: ["conversation"], isForm: (word) => word.startsWith("CONV#") },
  { options: ["port", "lines"], isForm: (word) => /^\d+$/.test(word) },
];

/**
 * The question after a word that no command takes, with the space before it: the option whose value it may be, or whose name
 * it nearly is. Empty without one.
 * @param names of the command's options
 */
export function meantOption(word: string, names: readonly string[]): string {
  const option = forms
    .filter(({ isForm }) => isForm(word))
    .flatMap(({ options }) => options)
    .find((name) => names.includes(name));
  if (option !== undefined) return didYouMean(`--${option} ${word}`);
  const name = nearest(word, names);
  return didYouMean(name === null ? null : `--${name}`);
}
