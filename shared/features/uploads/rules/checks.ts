import { FILENAME_BYTES_MAX } from "#base/kernel/limits.ts";
import { invalidField, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import type { MediaType } from "#features/sending/rules/send-content.ts";
import {
  acceptedTypes,
  cleanFilename,
  inferType,
  isAcceptedType,
  isClosedType,
  maxUploadSize,
  normalizeContentType,
} from "./media-types.ts";
import { hasProgramName, isProgramType, startsAsProgram } from "./programs.ts";
import { typeByBytes } from "./signatures.ts";

// What an account accepts: first as the client declares the file, then as storage has it. No text contains anything of
// the file.

/** A file as the client describes it. */
export interface RequestedFile {
  readonly filename: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** Inferred from the content type, if absent. */
  readonly type?: MediaType | undefined;
}

/** A file that the account accepts, with a cleaned name and a normalized content type. Sizes are in bytes. */
export interface DeclaredFile {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly type: MediaType;
  readonly maxSize: number;
}

type FileRefusal = Refusal<"attachment_too_large" | "unsupported_media_type">;

/** Checks a file before its grant. */
export function checkDeclared(
  connection: Connection,
  file: RequestedFile,
): DeclaredFile | Refusal<"invalid_request"> | FileRefusal {
  const filename = cleanFilename(file.filename);
  if (filename === null) {
    return invalidField("filename", `must be the name of a file, of 1 to ${FILENAME_BYTES_MAX} bytes`);
  }
  const contentType = normalizeContentType(file.contentType);
  if (contentType === null) return invalidField("content_type", "must be a media type such as image/png");
  if (!Number.isSafeInteger(file.size) || file.size < 1) return invalidField("size", "must be a whole number from 1");
  const type = file.type ?? inferType(contentType);
  if (!isAcceptedType(connection, type, contentType)) return refuseType(connection, type);
  if (hasProgramName(filename) || isProgramType(contentType)) return refuseProgram();
  const maxSize = maxUploadSize(type);
  if (file.size > maxSize) return refuseSize(maxSize);
  return { filename, contentType, size: file.size, type, maxSize };
}

/**
 * Checks a file as storage has it.
 * @param declared as `checkDeclared` returned it, so that neither its name nor its type is that of a program
 * @param posted `head`: the first 4,100 bytes, or all of a shorter file
 */
export function checkPosted(
  connection: Connection,
  { contentType, type }: Pick<DeclaredFile, "contentType" | "type">,
  { size, head }: { readonly size: number; readonly head: Uint8Array },
): FileRefusal | null {
  const maxSize = maxUploadSize(type);
  if (size > maxSize) return refuseSize(maxSize);
  if (!isAcceptedType(connection, type, contentType)) return refuseType(connection, type);
  if (startsAsProgram(head)) return refuseProgram();
  if (isClosedType(contentType) && typeByBytes(contentType, head) === null) {
    return refuse("unsupported_media_type", "The first bytes of the file are not those of its content_type.");
  }
  return null;
}

/**
 * The content type of a posted file that passed its checks, as its bytes show it: an MP4 that is declared as QuickTime is an
 * MP4. A type without a signature stays as declared.
 * @param head as for `checkPosted`
 */
export function copyContentType({ contentType }: Pick<DeclaredFile, "contentType">, head: Uint8Array): string {
  return (isClosedType(contentType) ? typeByBytes(contentType, head) : null) ?? contentType;
}

function refuseSize(maxSize: number): FileRefusal {
  return refuse("attachment_too_large", `The limit is ${maxSize} bytes.`);
}

function refuseType(connection: Connection, type: MediaType): FileRefusal {
  const detail = `Accepted as ${type} for this account: ${acceptedTypes(connection, type).join(", ")}.`;
  // Messenger refuses no type as a file.
  const hint = connection === "messenger" ? " As file, any type but a program is accepted." : "";
  return refuse("unsupported_media_type", `${detail}${hint}`);
}

function refuseProgram(): FileRefusal {
  return refuse("unsupported_media_type", "Programs, scripts and web pages are not accepted.");
}
