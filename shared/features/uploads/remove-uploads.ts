import type { RemoveUploadsPorts } from "./ports.ts";
import { parseUploadId, postedKey } from "./rules/uploads.ts";
import type { RemovableUpload } from "./store/upload-removals.ts";

/** Files deleted by one request. */
const FILES_MAX = 1_000;

/**
 * Removes uploads with their files: first the files, because nothing else refers to them. A row that a finish changed
 * in the meantime has another copy, which goes first too. Safe to repeat and to kill.
 */
export async function removeUploads(
  { uploadFiles, uploadRemovals }: RemoveUploadsPorts,
  uploads: readonly RemovableUpload[],
): Promise<void> {
  for (let remaining = uploads; remaining.length > 0; ) {
    const keys = remaining.flatMap(fileKeys);
    for (let from = 0; from < keys.length; from += FILES_MAX)
      await uploadFiles.removeAll(keys.slice(from, from + FILES_MAX));
    remaining = await uploadRemovals.remove(remaining);
  }
}

function fileKeys({ id, copyKey }: RemovableUpload): string[] {
  return [...(parseUploadId(id) === null ? [] : [postedKey(id)]), ...(copyKey === null ? [] : [copyKey])];
}
