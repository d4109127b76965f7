/** The result of the SDK's innermost handler. The output is set once the response was read. */
export interface HandlerOutput {
  readonly output?: unknown;
}

/** One attempt of an operation: how to send it, the request, and where its units are counted. */
export interface Attempt<S extends HandlerOutput> {
  readonly send: () => Promise<S>;
  /** The request of the SDK: serialized, or with its input if the table is in this process. */
  readonly request: unknown;
  readonly addUnits: (units: { wcu?: number; rcu?: number }) => void;
}
