/** An error response of a JSON service. `code` becomes the name of the SDK's exception. */
export class ServiceError extends Error {
  readonly code: string;
  readonly status: number;
  /** The older name of the error. SQS sends it with the code, and the SDK prefers it. */
  readonly queryCode: string;

  constructor(code: string, message: string, more: { status?: number; queryCode?: string } = {}) {
    super(message);
    this.code = code;
    this.status = more.status ?? 400;
    this.queryCode = more.queryCode ?? code;
  }
}
