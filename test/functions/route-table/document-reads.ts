import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { readServedDocument } from "../../support/conformance/document.ts";
import type { TestEnv } from "../../support/flows/test-env.ts";
import { rowText } from "../../support/stores/row-text.ts";
import type { RouteApps } from "./apps.ts";
import { apiRows, checkPageRows, connectRows, consoleRows, intakeRows, type RouteRow, webRows } from "./rows.ts";
import type { RouteWorld } from "./world.ts";

/** The paths that a GET reads. */
export const documentReads = Object.entries(readServedDocument().paths)
  .filter(([, operations]) => "get" in operations)
  .map(([path]) => path);

const rowsByApp: Readonly<Record<keyof RouteApps, Readonly<Record<string, RouteRow>>>> = {
  api: apiRows,
  checkPage: checkPageRows,
  connect: connectRows,
  console: consoleRows,
  web: webRows,
  intake: intakeRows,
};

/** The URL of a path for a resource of the world's own tenant, and the function that answers it. */
export function documentRead(path: string, world: RouteWorld): { readonly app: keyof RouteApps; readonly url: string } {
  const [app, rows] = Object.entries(rowsByApp).find(([, candidates]) => `GET ${path}` in candidates) ?? [];
  const row = rows?.[`GET ${path}`];
  if (!app || !row) throw new Error(`No row says how ${path} is read.`);
  const id = row.kind === null ? "" : world.ownIds[row.kind];
  const filled = row.request({ id, ownEndpointId: world.ownIds.endpoint, actorId: "" }).path;
  const url = `http://gateway${filled}${filled.includes("?") ? "&" : "?"}tenant=${world.own}`;
  return { app: app as keyof RouteApps, url };
}

/** Every item of the table, as text. */
export async function readTable(testEnv: TestEnv): Promise<string> {
  const items: string[] = [];
  for (let start: Record<string, unknown> | undefined, isFirst = true; isFirst || start; isFirst = false) {
    const page = new ScanCommand({ TableName: testEnv.table.name, ExclusiveStartKey: start, ConsistentRead: true });
    const { Items = [], LastEvaluatedKey } = await testEnv.table.client.send(page);
    items.push(...Items.map((item) => rowText(item)));
    start = LastEvaluatedKey;
  }
  return items.sort().join("\n");
}
