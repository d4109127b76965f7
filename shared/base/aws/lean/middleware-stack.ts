export type Handler = (args: HandlerArgs) => Promise<HandlerResult>;
export type Middleware = (next: Handler, context: Context) => Handler;

export interface HandlerArgs {
  readonly input: unknown;
  readonly request?: unknown;
}

export interface HandlerResult {
  readonly output: object;
  readonly response: unknown;
}

/** As the SDK's: names such as `DynamoDBClient` and `GetItemCommand`. */
export interface Context {
  readonly clientName: string;
  readonly commandName: string;
  /** Whether the command's values of attributes are plain. */
  readonly isDocument: boolean;
}

/** Around a call and its retries, or around each attempt. */
const steps = { initialize: 0, serialize: 1, build: 2, finalizeRequest: 3, deserialize: 4 } as const;
const priorities = { high: 0, normal: 1, low: 2 } as const;

interface Options {
  readonly name?: string;
  readonly step?: keyof typeof steps;
  readonly priority?: keyof typeof priorities;
  readonly override?: boolean;
}

/** The part of the SDK's middleware stack that its users here need. */
export class MiddlewareStack {
  #entries: { readonly middleware: Middleware; readonly name: string | undefined; readonly place: number }[] = [];

  /** @throws Error when the stack has a middleware of this name, unless it is to be replaced */
  add(
    middleware: Middleware,
    { name, step = "initialize", priority = "normal", override = false }: Options = {},
  ): void {
    const rest = name === undefined ? this.#entries : this.#entries.filter((entry) => entry.name !== name);
    if (rest.length < this.#entries.length && !override) throw new Error(`Duplicate middleware name '${name}'`);
    const place = steps[step] * 3 + priorities[priority];
    this.#entries = [...rest, { middleware, name, place }].sort((a, b) => a.place - b.place);
  }

  use(plugin: { applyToStack(stack: never): void }): void {
    plugin.applyToStack(this as never);
  }

  remove(name: string): boolean {
    const length = this.#entries.length;
    this.#entries = this.#entries.filter((entry) => entry.name !== name);
    return this.#entries.length < length;
  }

  /** @param part of calls, or of attempts; default: everything */
  resolve(handler: Handler, context: Context, part?: "call" | "attempt"): Handler {
    const first = steps.finalizeRequest * 3;
    let resolved = handler;
    for (const { middleware, place } of this.#entries.toReversed()) {
      if (part === undefined || place >= first === (part === "attempt")) resolved = middleware(resolved, context);
    }
    return resolved;
  }
}
