import { type AST, RegExpParser } from "@eslint-community/regexpp";
import { getConsumedChars } from "regexp-ast-analysis";

/** Texts that an expression begins to match: of each alternative, its beginnings with each repeat taken once. */
export function exampleTexts(source: string, flags: string): string[] {
  const parser = new RegExpParser();
  const mode = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") };
  const parsedFlags = parser.parseFlags(flags);
  const texts = new Set<string>();
  const example = (element: AST.Element): string => {
    switch (element.type) {
      case "Character":
        return String.fromCodePoint(element.value);
      case "CharacterSet":
      case "CharacterClass": {
        const [range] = getConsumedChars(element, parsedFlags).chars.ranges;
        return range ? String.fromCodePoint(range.max < 0x80 ? range.max : Math.max(range.min, 0x21)) : "";
      }
      case "Group":
      case "CapturingGroup":
        return beginnings(element.alternatives);
      case "Quantifier":
        return example(element.element).repeat(Math.min(100, Math.max(1, element.min)));
      default:
        return "";
    }
  };
  /** Adds the beginnings of each alternative. @returns the first alternative */
  const beginnings = (alternatives: readonly AST.Alternative[]): string => {
    const wholes = alternatives.map(({ elements }) => {
      let text = "";
      for (const element of elements) {
        const part = example(element);
        text += part;
        for (const addition of [text, part]) if (addition !== "") texts.add(addition);
      }
      return text;
    });
    return wholes[0] ?? "";
  };
  beginnings(parser.parsePattern(source, 0, source.length, mode).alternatives);
  return [...texts];
}
