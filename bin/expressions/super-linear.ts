import { type AST, RegExpParser } from "@eslint-community/regexpp";
import { getConsumedChars, isPotentiallyEmpty, type ReadonlyFlags, toCache } from "regexp-ast-analysis";
import { analyse } from "scslre";

/**
 * Why some texts may cost an expression more than a multiple of their length.
 * @returns one sentence per reason; empty for none
 */
export function superLinearReasons(source: string, flags: string): string[] {
  const { reports } = analyse({ source, flags }, { assumeRejectingSuffix: false });
  const reasons = reports.map((report) => {
    if (report.type === "Move") return `a search starts again at each character of \`${report.quant.raw}\``;
    if (report.type === "Self") return `\`${report.quant.raw}\` is repeated inside \`${report.parentQuant.raw}\``;
    return `\`${report.startQuant.raw}\` and \`${report.endQuant.raw}\` match the same text`;
  });
  return [...new Set([...reasons, ...restartReasons(source, flags)])];
}

/**
 * A search starts again wherever what comes before a repeat occurs inside the text that the repeat matches, as in
 * `http:\S*end`. That is quadratic if something after the repeat can fail.
 */
function restartReasons(source: string, flags: string): string[] {
  if (flags.includes("y")) return [];
  const parser = new RegExpParser();
  const mode = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") };
  const pattern = parser.parsePattern(source, 0, source.length, mode);
  const parsedFlags = toCache(parser.parseFlags(flags));
  return pattern.alternatives.flatMap((alternative) => {
    const elements = alternative.elements.flatMap(flattened);
    return elements.flatMap((element, index) => {
      if (element.type !== "Quantifier" || element.max !== Number.POSITIVE_INFINITY) return [];
      const [before, after] = [elements.slice(0, index), elements.slice(index + 1)];
      const mayFail = after.some((next) => !isPotentiallyEmpty(next, parsedFlags));
      const mayRestart = before.length > 0 && before.every((previous) => occursIn(previous, element, parsedFlags));
      return mayFail && mayRestart ? [`a search starts again inside \`${element.raw}\``] : [];
    });
  });
}

/** The elements of a group that has one alternative, in its place. */
function flattened(element: AST.Element): AST.Element[] {
  if (element.type !== "Group" && element.type !== "CapturingGroup") return [element];
  const [alternative, ...others] = element.alternatives;
  return alternative && others.length === 0 ? alternative.elements.flatMap(flattened) : [element];
}

/** Whether an element may match a part of the text that a repeat matches. */
function occursIn(element: AST.Element, repeat: AST.Quantifier, flags: ReadonlyFlags): boolean {
  const repeated = getConsumedChars(repeat.element, flags).chars;
  if (element.type === "Assertion") return !isOutside(element, repeat, flags);
  return isPotentiallyEmpty(element, flags) || !getConsumedChars(element, flags).chars.isDisjointWith(repeated);
}

/** Whether an assertion holds at no position inside the text that a repeat matches. */
function isOutside(assertion: AST.Assertion, repeat: AST.Quantifier, flags: ReadonlyFlags): boolean {
  const repeated = getConsumedChars(repeat.element, flags).chars;
  if (assertion.kind === "start") {
    return !flags.multiline || [0x0a, 0x0d, 0x2028, 0x2029].every((lineEnd) => !repeated.has(lineEnd));
  }
  if (assertion.kind !== "lookbehind" || !assertion.negate) return false;
  return assertion.alternatives.some(
    ({ elements: [only, ...others] }) =>
      only && others.length === 0 && repeated.without(getConsumedChars(only, flags).chars).isEmpty,
  );
}
