import type { Files } from "../../aws/files.ts";
import type { Log } from "../../aws/log.ts";

export interface PurgeUploadsPorts {
  readonly uploadFiles: Pick<Files, "list" | "removeAll">;
  readonly log: Log;
}
