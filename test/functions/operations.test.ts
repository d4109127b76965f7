import { expect, it } from "vitest";
import { checkRoutes } from "#features/holds/routes/check.ts";
import { intakeRoutes } from "#features/inbox/routes/intake.ts";
import { apiRoutes } from "../../functions/api/routes.ts";
import { connectRoutes } from "../../functions/connect/routes.ts";
import { consoleRoutes } from "../../functions/console/routes.ts";
import { docsRoutes } from "../../functions/docs/routes.ts";

const routes = [...apiRoutes, ...consoleRoutes, ...connectRoutes, ...checkRoutes, ...docsRoutes, ...intakeRoutes].map(
  ({ operation, method, path }) => `${operation}: ${method} ${path}`,
);

it("every route has its operationId", () => {
  expect([...routes].sort()).toEqual([
    "acceptInvite: POST /console/invites/{id}/accept",
    "completeCheck: POST /verify/holds/{hold_id}/complete",
    "confirmPlatformSubscription: GET /webhooks/{platform}",
    "confirmSignIn: POST /console/auth/verify",
    "createChallenge: POST /verify/holds/{hold_id}/challenge",
    "createInstagramLogin: POST /oauth/instagram/start",
    "createInvite: POST /console/invites",
    "createKey: POST /v1/keys",
    "createMessengerLogin: POST /oauth/messenger/start",
    "createRealtimeTicket: POST /v1/realtime/ticket",
    "createSessionTicket: POST /console/session/ws-ticket",
    "createTenant: POST /console/tenants",
    "createUpload: POST /v1/attachments/uploads",
    "createWebhook: POST /v1/webhooks",
    "declineInvite: POST /console/invites/{id}/decline",
    "deleteWebhook: DELETE /v1/webhooks/{id}",
    "disconnectAccount: DELETE /v1/accounts/{account_key}",
    "eraseConversation: DELETE /v1/conversations/{id}",
    "finishInstagramLogin: GET /oauth/instagram/callback",
    "finishMessengerLogin: GET /oauth/messenger/callback",
    "finishUpload: POST /v1/attachments",
    "getCheckPage: GET /verify",
    "getCheckPageScript: GET /verify/check.js",
    "getCheckPageSolver: GET /verify/solver.js",
    "getCheckPageStyle: GET /verify/check.css",
    "getConnectPage: GET /oauth/connect",
    "getConnectScript: GET /oauth/connect.js",
    "getConnectStyle: GET /oauth/connect.css",
    "getConversation: GET /v1/conversations/{id}",
    "getDataDeletionPage: GET /platform/data-deletion/{code}",
    "getDataDeletionStyle: GET /platform/data-deletion/style.css",
    "getDelivery: GET /v1/webhooks/{id}/deliveries/{deliveryId}",
    "getDocs: GET /docs",
    "getDocsPage: GET /docs/{page}",
    "getHeldMessage: POST /verify/holds/{hold_id}",
    "getHold: GET /v1/messages/holds/{hold_id}",
    "getMessage: GET /v1/messages/{id}",
    "getOpenApiDocument: GET /openapi.json",
    "getSession: GET /console/me",
    "getSignInPage: GET /console/auth/sign-in",
    "getSignInScript: GET /console/auth/sign-in.js",
    "getSignInStyle: GET /console/auth/sign-in.css",
    "getSignedInPage: GET /console/auth/signed-in",
    "getSignedInScript: GET /console/auth/signed-in.js",
    "getStats: GET /v1/stats",
    "getTenant: GET /console/tenants/{slug}",
    "getUpload: GET /v1/attachments/uploads/{upload_id}",
    "getWebhook: GET /v1/webhooks/{id}",
    "health: GET /health",
    "listAccounts: GET /v1/accounts",
    "listAuditEntries: GET /v1/audit",
    "listConversations: GET /v1/conversations",
    "listDeliveries: GET /v1/webhooks/{id}/deliveries",
    "listEventTypes: GET /v1/event-types",
    "listInvites: GET /console/invites",
    "listKeys: GET /v1/keys",
    "listLoginPages: GET /oauth/messenger/pages",
    "listMembers: GET /console/team",
    "listMessages: GET /v1/messages",
    "listTenants: GET /console/tenants",
    "listWebhooks: GET /v1/webhooks",
    "ping: GET /v1/ping",
    "receiveDeauthorization: POST /platform/deauthorize",
    "receivePlatformWebhook: POST /webhooks/{platform}",
    "redirectToSecurityTxt: GET /.well-known/security.txt",
    "redirectToSite: GET /",
    "removeMember: DELETE /console/team/{user_id}",
    "replayDeliveries: POST /v1/webhooks/{id}/deliveries/replay",
    "replayDelivery: POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay",
    "requestDataDeletion: POST /platform/data-deletion",
    "requestSignInLink: POST /console/auth/request",
    "resendInvite: POST /console/invites/{id}/resend",
    "revokeInvite: DELETE /console/invites/{id}",
    "revokeKey: DELETE /v1/keys/{id}",
    "rotateWebhookSecret: POST /v1/webhooks/{id}/rotate",
    "selectLoginPage: POST /oauth/messenger/select",
    "sendHumanAgentMessage: POST /v1/messages/human-agent",
    "sendReply: POST /v1/messages/reply",
    "sendTestEvent: POST /v1/webhooks/{id}/test",
    "signOut: POST /console/auth/logout",
    "startInstagramLogin: GET /oauth/instagram/start",
    "startMessengerLogin: GET /oauth/messenger/start",
    "summarizeDeliveries: GET /v1/webhooks/{id}/deliveries/summary",
    "updateMember: PATCH /console/team/{user_id}",
    "updateTenant: PATCH /console/tenants/{slug}",
    "updateWebhook: PATCH /v1/webhooks/{id}",
    "verifySignInLink: GET /console/auth/verify",
  ]);
});

it("operationIds are unique and in camelCase", () => {
  const operations = routes.map((route) => route.split(":")[0] ?? "");
  expect(new Set(operations).size).toBe(operations.length);
  for (const operation of operations) expect(operation).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
});
