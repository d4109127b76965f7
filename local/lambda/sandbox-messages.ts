/** The worker data of a sandbox. */
export interface SandboxData {
  /** The folder of V8\'s compile cache, where the host process has one. */
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
  /** The result as JSON. Undefined for a handler that returns nothing. */
  | { readonly kind: "result"; readonly id: string; readonly json: string | undefined }
  | { readonly kind: "error"; readonly id: string; readonly error: HandlerError };
