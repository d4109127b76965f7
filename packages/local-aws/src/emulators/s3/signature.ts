import { hmacSha256, sameBytes } from "../../support/bytes.ts";
import { S3Error } from "./errors.ts";

/** `<access key id>/<yyyymmdd>/<region>/s3/aws4_request` */
export interface CredentialScope {
  readonly accessKey: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly end: string;
}

export function parseCredential(text: string): CredentialScope {
  const [accessKey = "", date = "", region = "", service = "", end = ""] = text.split("/");
  return { accessKey, date, region, service, end };
}

/** Throws unless the text is signed (Signature Version 4) with the secret of a known access key. */
export function checkTextSignature(
  credentials: Readonly<Record<string, string>>,
  { accessKey, date, region, service, end }: CredentialScope,
  { text, signature }: { text: string; signature: string },
): void {
  const secret = Object.hasOwn(credentials, accessKey) ? credentials[accessKey] : undefined;
  if (secret === undefined || service !== "s3" || end !== "aws4_request") {
    throw unknownAccessKey();
  }
  const key = [date, region, service, end].reduce<Buffer>(
    (chained, part) => hmacSha256(chained, part),
    Buffer.from(`AWS4${secret}`),
  );
  if (sameBytes(hmacSha256(key, text).toString("hex"), signature)) return;
  throw signatureMismatch();
}

export function unknownAccessKey(): S3Error {
  return new S3Error("InvalidAccessKeyId", 403, "The access key id you provided does not exist in our records.");
}

export function signatureMismatch(): S3Error {
  return new S3Error(
    "SignatureDoesNotMatch",
    403,
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
  );
}
