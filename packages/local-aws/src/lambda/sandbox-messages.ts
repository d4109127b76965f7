/** What a function reads of the program that runs it: the global `Symbol.for(symbol)`, with these values and `now()`. */
export interface SandboxHost {
  readonly symbol: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
}

/** The worker data of a sandbox. */
export interface SandboxData {
  /** The folder of V8's compile cache, where the host process has one. */
  readonly compileCache?: string | undefined;
  /** Path of the bundle. */
  readonly file: string;
  /** The name of the handler's export. */
  readonly handler: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
  /** The stack clock's offset. */
  readonly clock: SharedArrayBuffer;
  /** One Int32: 1 once an event is sent. The thread waits for it between two events. */
  readonly wake: SharedArrayBuffer;
  readonly host: SandboxHost;
}

export type ToSandbox = { readonly id: string; readonly event: unknown; readonly timeoutMs: number };

export interface HandlerError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: string;
}

export type FromSandbox =
  | { readonly kind: "ready" }
  /** A part of the function's output. */
  | { readonly kind: "output"; readonly chunk: Uint8Array }
  | { readonly kind: "unloadable"; readonly error: HandlerError }
  /** The result as JSON. Undefined for a handler that returns nothing. */
  | { readonly kind: "result"; readonly id: string; readonly json: string | undefined }
  | { readonly kind: "error"; readonly id: string; readonly error: HandlerError };
