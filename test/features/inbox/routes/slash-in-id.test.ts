import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { beforeAll, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { type HttpHandler, lambdaHandler } from "#http/lambda.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { testApp } from "../../../support/routes/test-app.ts";
import { ACCOUNT, newTenant, SAMPLE_INBOX, sampleMessage } from "../../../support/stores/samples.ts";
import { createKey } from "../../access/flows/support/api-keys.ts";

// An HTTP API passes the decoded path: a `/` that was sent as %2F arrives as a separator.

let handler: HttpHandler;
let tenant: TenantId;
let key: string;
const testEnv = openedOnce(openTestEnv);
beforeAll(async () => {
  const ports = testEnv.apiPorts(await testEnv.newQueues());
  const app = testApp(testEnv, ports);
  handler = lambdaHandler(app, (line) => testEnv.lines.push(line));
  tenant = newTenant();
  key = (await createKey(ports, tenant, { scope: "live", label: "", author: { actor: "cli" } }, testEnv.now())).secret;
});

/** @param rawPath as the gateway decoded it */
async function call(
  rawPath: string,
  method = "GET",
): Promise<{ status: number | undefined; body: string; allow: unknown }> {
  const event = {
    rawPath,
    rawQueryString: "",
    headers: { authorization: `Bearer ${key}` },
    isBase64Encoded: false,
    requestContext: { requestId: "r-1", http: { method, path: rawPath, sourceIp: "192.0.2.7" } },
  } as unknown as APIGatewayProxyEventV2;
  const {
    statusCode,
    body = "",
    headers,
    isBase64Encoded,
  } = await handler(event, {
    getRemainingTimeInMillis: () => 10_000,
  });
  return {
    status: statusCode,
    body: Buffer.from(body, isBase64Encoded ? "base64" : "utf8").toString(),
    allow: headers?.allow,
  };
}

it("a message and a conversation whose ids contain a slash are read", async () => {
  const person = "12/34";
  const id = "mid.$cAAE/a//b#c";
  const conversation = conversationId({ tenant, account: ACCOUNT, participantId: person });
  const participant = { id: person, handle: null, username: null, name: null };
  const message = sampleMessage(tenant, { id, conversationId: conversation, participant });
  await messageStore(testEnv.table).record(tenant, message, testEnv.now());
  await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX);

  const found = await call(`/v1/messages/${id}`);
  expect(found.status).toBe(200);
  expect(JSON.parse(found.body).data.message.id).toBe(id);
  const thread = await call(`/v1/conversations/${conversation}`);
  expect(thread.status).toBe(200);
  expect(JSON.parse(thread.body).data.conversation.id).toBe(conversation);
});

it.each([
  ["/v1/messages/a/b", "GET", 404, "message_not_found"],
  ["/v1/messages/../keys", "GET", 404, "message_not_found"],
  ["/v1/messages/", "GET", 404, "route_not_found"],
  ["/v1/messages/holds/h_1", "GET", 404, "hold_not_found"],
  ["/v1/webhooks/a/b", "GET", 404, "route_not_found"],
])("the answer to %s by %s is %d %s", async (path, method, status, code) => {
  const response = await call(path, method);
  expect([response.status, JSON.parse(response.body).error.code]).toEqual([status, code]);
});

it("an answer names the methods of a path with a slash in its id", async () => {
  const response = await call("/v1/messages/a/b", "DELETE");
  expect([response.status, response.allow]).toEqual([405, "GET, HEAD"]);
});
