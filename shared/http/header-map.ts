/** Headers as they are read. Those of the fetch standard are such. */
export interface ReadableHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
  has(name: string): boolean;
}

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** What no value may have: ends of lines, and what is no byte. */
const INVALID_VALUE = /[\0\r\n]|[^\0-\xff]/;

/**
 * Headers by name, regardless of case, in alphabetical order, with what the routes need of `Headers`. The first use of
 * `Headers`, `Request` or `Response` loads Node's whole client of fetch, 25 ms of CPU at a cold start.
 */
export class HeaderMap implements ReadableHeaders {
  readonly #values = new Map<string, string>();
  #cookies: string[] = [];

  constructor(headers: Iterable<readonly [string, string]> | Readonly<Record<string, string>> = {}) {
    const entries = Symbol.iterator in headers ? headers : Object.entries<string>(headers);
    for (const [name, value] of entries) this.append(name, value);
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    if (key === "set-cookie") return this.#cookies.length === 0 ? null : this.#cookies.join(", ");
    return this.#values.get(key) ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** @throws TypeError for a name or a value that no header can have */
  set(name: string, value: string): void {
    const key = validKey(name, value);
    if (key === "set-cookie") this.#cookies = [value];
    else this.#values.set(key, value);
  }

  /** Joins values with commas, except cookies. @throws TypeError as `set` */
  append(name: string, value: string): void {
    const key = validKey(name, value);
    const existing = this.#values.get(key);
    if (key === "set-cookie") this.#cookies.push(value);
    else this.#values.set(key, existing === undefined ? value : `${existing}, ${value}`);
  }

  delete(name: string): void {
    const key = name.toLowerCase();
    if (key === "set-cookie") this.#cookies = [];
    this.#values.delete(key);
  }

  getSetCookie(): string[] {
    return [...this.#cookies];
  }

  /** Each cookie is an entry of its own. */
  *[Symbol.iterator](): IterableIterator<[string, string]> {
    const cookies = this.#cookies.map((cookie): [string, string] => ["set-cookie", cookie]);
    yield* [...this.#values, ...cookies].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  }
}

function validKey(name: string, value: string): string {
  if (!NAME.test(name)) throw new TypeError("Invalid name of a header.");
  if (INVALID_VALUE.test(value)) throw new TypeError(`Invalid value of the header ${name}.`);
  return name.toLowerCase();
}
