import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageFile } from "../../shared/flows/holds/ports.ts";
import { shortHash } from "../../shared/kernel/bytes.ts";

const files = [
  ["/verify", "index.html", "text/html; charset=utf-8"],
  ["/verify/check.js", "check.js", "text/javascript; charset=utf-8"],
  ["/verify/check.css", "check.css", "text/css; charset=utf-8"],
  ["/verify/solver.js", "solver.js", "text/javascript; charset=utf-8"],
] as const;

/** Reads the check page that `buildCheckPage` wrote. Throws at start if a file is missing, so that no page is broken. */
export function readCheckPage(folder: string): ReadonlyMap<string, PageFile> {
  return new Map(
    files.map(([path, name, type]) => {
      const body = new Uint8Array(readFileSync(join(folder, name)));
      return [path, { body, type, etag: `"${shortHash(Buffer.from(body).toString())}"` }] as const;
    }),
  );
}
