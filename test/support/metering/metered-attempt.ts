/** The result of the SDK's innermost handler. The output is set once the response was read. */
export interface HandlerOutput {
  readonly output?: unknown;
}

/** One attempt of an operation: how to send it, the body it sends, and where its units are counted. */
export interface Attempt<S extends HandlerOutput> {
  readonly send: () => Promise<S>;
  readonly body: unknown;
  readonly addUnits: (units: { wcu?: number; rcu?: number }) => void;
}
