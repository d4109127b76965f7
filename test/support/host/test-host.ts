import { openFiles } from "#base/aws/files.ts";
import type { Log } from "#base/aws/log.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { PlatformHttp } from "#platforms/graph/http.ts";
import { mockPlatform } from "#platforms/graph/mock.ts";
import { accountPlatformFor, platformFor } from "#platforms/platforms.ts";
import type { Clients, Host } from "../../../functions/host.ts";
import type { TestTable } from "../dynamodb.ts";
import { BUCKET, JOURNAL_BUCKET, UPLOAD_BUCKET } from "./emulated-services.ts";
import { type Deployment, testSettings } from "./settings.ts";

interface TestProcess extends Omit<Deployment, "table" | "rawBucket" | "uploadBucket" | "journalBucket"> {
  readonly table: Pick<TestTable, "tableName" | "client">;
  /** The clients of AWS, and what else replaces the clients of a process. */
  readonly clients: Omit<Clients, "table" | "journal"> & Required<Pick<Clients, "s3">>;
  readonly log: Log;
  /** Default: 0, the shortest of each wait. */
  readonly random?: () => number;
}

/** The host of the functions in a process of the tests, without the files of pages. */
export function testHost({ table, clients, log, random = () => 0, ...deployment }: TestProcess): Host {
  return {
    settings: testSettings({
      ...deployment,
      table: table.tableName,
      rawBucket: BUCKET,
      uploadBucket: UPLOAD_BUCKET,
      journalBucket: JOURNAL_BUCKET,
    }),
    clients: { ...clients, table: table.client, journal: openFiles(JOURNAL_BUCKET, clients.s3).put },
    log,
    random,
    pageFiles: new Map(),
  };
}

/** The platforms' APIs at a URL. What a test key sends reaches the mock. */
export function platformsAt(
  url: string,
  { http, now }: { readonly http: PlatformHttp; readonly now: () => Millis },
): Required<Pick<Clients, "platformFor" | "accountPlatformFor">> {
  const upstream = { facebookGraph: url, instagramGraph: url, graphVersion: "v26.0" };
  const app = { metaAppId: null, metaSecret: null };
  return {
    platformFor: async (account, scope) =>
      scope === "test"
        ? mockPlatform(() => newUlid(now()), account.platform)
        : platformFor(account.connection, upstream, http),
    accountPlatformFor: async (connection) => accountPlatformFor(connection, { upstream, http, app }),
  };
}
