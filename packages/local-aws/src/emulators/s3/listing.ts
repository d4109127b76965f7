import type { ObjectStore, StoredObject } from "./objects.ts";
import { escapeXml } from "./xml.ts";

const PAGE_MAX = 1_000;

/** One row of a listing: an object, or a common prefix of several keys up to the delimiter. */
interface Row {
  /** The key after which the next page starts. */
  readonly last: string;
  readonly xml: string;
}

/** The response to ListObjectsV2. Supports prefix, delimiter, start-after, continuation-token and max-keys. */
export function listObjects(store: ObjectStore, bucket: string, query: URLSearchParams): string {
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const token = query.get("continuation-token");
  const after = token === null ? (query.get("start-after") ?? "") : Buffer.from(token, "base64url").toString();
  const max = Math.min(Number(query.get("max-keys") ?? PAGE_MAX), PAGE_MAX);
  const objects = store.list(bucket).filter(({ key }) => key.startsWith(prefix) && key > after);
  const rows = delimiter === "" ? objects.map(objectRow) : groupedRows(objects, prefix, delimiter);
  const page = rows.slice(0, max);
  const last = page.at(-1)?.last;
  const next = rows.length > page.length && last !== undefined ? Buffer.from(last).toString("base64url") : null;
  return [
    "<ListBucketResult>",
    `<Name>${escapeXml(bucket)}</Name><Prefix>${escapeXml(prefix)}</Prefix>`,
    `<KeyCount>${page.length}</KeyCount><MaxKeys>${max}</MaxKeys><IsTruncated>${next !== null}</IsTruncated>`,
    next === null ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`,
    ...page.map((row) => row.xml),
    "</ListBucketResult>",
  ].join("");
}

function objectRow(object: StoredObject): Row {
  const parts = {
    Key: object.key,
    LastModified: new Date(object.at).toISOString(),
    ETag: object.etag,
    Size: String(object.size),
    StorageClass: "STANDARD",
  };
  const elements = Object.entries(parts).map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`);
  return { last: object.key, xml: `<Contents>${elements.join("")}</Contents>` };
}

function groupedRows(objects: readonly StoredObject[], prefix: string, delimiter: string): Row[] {
  const groups = Map.groupBy(objects, ({ key }) => {
    const end = key.indexOf(delimiter, prefix.length);
    return end < 0 ? key : key.slice(0, end + delimiter.length);
  });
  return [...groups].flatMap(([shared, members]) => {
    if (!shared.endsWith(delimiter) || shared.length === prefix.length) return members.map(objectRow);
    const xml = `<CommonPrefixes><Prefix>${escapeXml(shared)}</Prefix></CommonPrefixes>`;
    return [{ last: members.at(-1)?.key ?? shared, xml }];
  });
}
