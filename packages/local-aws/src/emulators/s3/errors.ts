import { randomUUID } from "node:crypto";
import { escapeXml } from "./xml.ts";

/** An error that S3 returns as XML with a code, a status and a message. */
export class S3Error extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export function accessDenied(message = "Access Denied"): S3Error {
  return new S3Error("AccessDenied", 403, message);
}

export function notEmulated(operation: string): S3Error {
  return new S3Error("NotImplemented", 501, `${operation} is not emulated.`);
}

export function errorXml(error: S3Error): string {
  const message = escapeXml(error.message);
  return `<Error><Code>${error.code}</Code><Message>${message}</Message><RequestId>${randomUUID()}</RequestId></Error>`;
}
