/** What a sandbox is given when it is made. */
export interface SandboxData {
  /** Path of the bundle. */
  readonly file: string;
  /** Name of the handler among what the bundle exports. */
  readonly handler: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
  /** The stack clock's offset. */
  readonly clock: SharedArrayBuffer;
  readonly openEgress: boolean;
}

export type ToSandbox = { readonly id: string; readonly event: unknown; readonly timeoutMs: number };

export interface HandlerError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: string;
}

export type FromSandbox =
  | { readonly kind: "ready" }
  | { readonly kind: "unloadable"; readonly error: HandlerError }
  /** The result as JSON, as it would leave a function; undefined for a handler that answers nothing. */
  | { readonly kind: "result"; readonly id: string; readonly json: string | undefined }
  | { readonly kind: "error"; readonly id: string; readonly error: HandlerError };
