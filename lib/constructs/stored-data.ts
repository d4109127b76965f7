import type { JournalBucket } from "./journal-bucket.ts";
import type { RawBucket } from "./raw-bucket.ts";
import type { ServiceSecrets } from "./service-secrets.ts";
import type { SingleTable } from "./single-table.ts";
import type { TokenKey } from "./token-key.ts";
import type { UploadBucket } from "./upload-bucket.ts";

/** The stored data of a deployment, to which roles and policies are granted access. */
export interface StoredData {
  readonly table: SingleTable;
  readonly key: TokenKey;
  readonly raw: RawBucket;
  readonly uploads: UploadBucket;
  readonly journal: JournalBucket;
  readonly secrets: ServiceSecrets;
}
