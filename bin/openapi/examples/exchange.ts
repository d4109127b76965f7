/** A JSON value, or a text. */
export type ExampleBody = unknown;

/** One recorded request of an operation and its answer. */
export interface ExampleExchange {
  /** Of a success, what it shows; of an error, its code. Unique in its operation. */
  readonly name: string;
  readonly summary: string;
  readonly request: {
    readonly method: string;
    /** With its query. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: ExampleBody;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** Absent without one, and for a file. */
    readonly body?: ExampleBody;
  };
}

/** By operation id. */
export type Examples = Readonly<Record<string, { readonly exchanges: readonly ExampleExchange[] }>>;
