import { S3Error } from "./errors.ts";

export interface UploadForm {
  /** Values by lower-case name. S3 reads only the fields before the file. */
  readonly fields: ReadonlyMap<string, string>;
  readonly file: { readonly name: string; readonly bytes: Buffer };
}

const PARAMETERS = { name: /[;\s]name="([^"]*)"/i, filename: /[;\s]filename="([^"]*)"/i } as const;
const HEAD_END = Buffer.from("\r\n\r\n");

/** Reads a multipart/form-data body up to and including its part named `file`. */
export function parseForm(body: Buffer, contentType: string): UploadForm {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (!boundary) throw malformedRequest();
  const delimiter = Buffer.from(`--${boundary}`);
  const partEnd = Buffer.from(`\r\n--${boundary}`);
  const fields = new Map<string, string>();
  let at = body.indexOf(delimiter);
  if (at < 0) throw malformedRequest();
  for (;;) {
    const start = at + delimiter.length;
    if (body.subarray(start, start + 2).toString() === "--") break;
    const headEnd = body.indexOf(HEAD_END, start);
    // Search from the last line end of the head, so that a part without content is also found.
    const end = headEnd < 0 ? -1 : body.indexOf(partEnd, headEnd + 2);
    if (end < 0) throw malformedRequest();
    const head = body.subarray(start, headEnd).toString();
    const bytes = body.subarray(Math.min(headEnd + HEAD_END.length, end), end);
    const name = parameter(head, "name") ?? "";
    if (name === "file") return { fields, file: { name: parameter(head, "filename") ?? "", bytes } };
    fields.set(name.toLowerCase(), bytes.toString());
    at = end + 2;
  }
  throw new S3Error("InvalidArgument", 400, "POST requires exactly one file upload per request.");
}

function parameter(head: string, name: keyof typeof PARAMETERS): string | undefined {
  return PARAMETERS[name].exec(head)?.[1];
}

function malformedRequest(): S3Error {
  return new S3Error(
    "MalformedPOSTRequest",
    400,
    "The body of your POST request is not well-formed multipart/form-data.",
  );
}
