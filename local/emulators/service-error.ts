/** An error as a caller of a JSON service gets it: `code` becomes the name of the SDK's exception. */
export class ServiceError extends Error {
  readonly code: string;
  readonly status: number;
  /** The older name of the error, which SQS sends beside the code and the SDK prefers. */
  readonly queryCode: string;

  constructor(code: string, message: string, more: { status?: number; queryCode?: string } = {}) {
    super(message);
    this.code = code;
    this.status = more.status ?? 400;
    this.queryCode = more.queryCode ?? code;
  }
}
