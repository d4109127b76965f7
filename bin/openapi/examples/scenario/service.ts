import type { Conversations } from "./inbox.ts";
import type { Scenario } from "./scenario.ts";

/** Pages and their files, by operation. */
const FILES = {
  getSignInPage: "/console/auth/sign-in",
  getSignInStyle: "/console/auth/sign-in.css",
  getSignInScript: "/console/auth/sign-in.js",
  getConsole: "/app",
  getDocs: "/docs",
  getDocsMarkdown: "/docs.md",
  getDocsList: "/llms.txt",
  getDocsText: "/llms-full.txt",
  getConnectStyle: "/oauth/connect.css",
  getDataDeletionStyle: "/platform/data-deletion/style.css",
  getCheckPage: "/verify",
  getCheckPageStyle: "/verify/check.css",
  getCheckPageScript: "/verify/check.js",
  getCheckPageSolver: "/verify/solver.js",
};

/** Pages and files that have moved, by operation. */
const MOVED = {
  getSignedInPage: "/console/auth/signed-in",
  getSignedInScript: "/console/auth/signed-in.js",
  getConnectPage: "/oauth/connect?tenant=demo",
  getConnectScript: "/oauth/connect.js",
};

/** What needs no key, and the pages. */
export async function recordService(scenario: Scenario): Promise<void> {
  const { example } = scenario;
  await example("ping", "The API answers", { path: "/v1/ping" });
  await example("health", "The service works", { path: "/health" });
  await example("redirectToSite", "A redirect", { path: "/" });
  await example("redirectToSecurityTxt", "A redirect", { path: "/.well-known/security.txt" });
  for (const [operation, path] of Object.entries(FILES)) await example(operation, "A file", { path, isFile: true });
  for (const [operation, path] of Object.entries(MOVED)) await example(operation, "A redirect", { path });
  await recordCurrentCopy(scenario, "getOpenApiDocument", "/openapi.json");
  await recordCurrentCopy(scenario, "getDocsPage", "/docs/errors");
  await example("getDocsPage", null, { path: "/docs/unknown" });
  await recordCurrentCopy(scenario, "getConsolePage", "/app/demo/inbox");
  await example("getConsolePage", null, { path: "/app/assets/unknown.js" });
}

/** A file, and the answer to a client that has it already. */
async function recordCurrentCopy({ example }: Scenario, operation: string, path: string): Promise<void> {
  const { headers } = await example(operation, "A file", { path, isFile: true });
  const etag = headers.get("etag");
  if (etag === null) throw new Error(`${path} has no ETag.`);
  await example(operation, "A copy that is current", { path, headers: { "if-none-match": etag } });
}

/** The end: a person's conversation is erased. */
export async function recordErasure({ example, live, test }: Scenario, { instagram }: Conversations): Promise<void> {
  const path = `/v1/conversations/${encodeURIComponent(instagram)}`;
  await example("eraseConversation", null, { method: "DELETE", path, headers: test });
  await example("eraseConversation", "A conversation", { method: "DELETE", path, headers: live });
}
