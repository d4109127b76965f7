import { InvalidRequest } from "./values.ts";

const TOKEN = /\s*(?:([A-Za-z_][A-Za-z0-9_]*|#[A-Za-z0-9_]+)|(:[A-Za-z0-9_]+)|(<>|<=|>=|[=<>(),+-]))/y;

/** The words of an expression, read from left to right. Paths into an attribute are not supported. */
export class Tokens {
  readonly #texts: readonly string[];
  readonly #expression: string;
  #next = 0;

  constructor(expression: string) {
    this.#expression = expression;
    const texts: string[] = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < expression.trimEnd().length) {
      const match = TOKEN.exec(expression);
      if (!match) throw new InvalidRequest(`Unsupported expression: ${expression}`);
      texts.push(match[0].trim());
    }
    this.#texts = texts;
  }

  lookAhead(ahead = 0): string | undefined {
    return this.#texts[this.#next + ahead];
  }

  next(): string {
    const text = this.#texts[this.#next++];
    if (text === undefined) throw new InvalidRequest(`The expression ends early: ${this.#expression}`);
    return text;
  }

  /** Takes the next word if it is this one, in any case. */
  take(word: string): boolean {
    if (this.lookAhead()?.toUpperCase() !== word) return false;
    this.#next++;
    return true;
  }

  expect(word: string): void {
    if (!this.take(word)) throw new InvalidRequest(`Expected ${word} before ${this.lookAhead()}: ${this.#expression}`);
  }

  end(): void {
    if (this.lookAhead() !== undefined) throw new InvalidRequest(`Unexpected ${this.lookAhead()}: ${this.#expression}`);
  }
}
