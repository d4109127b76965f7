/** The method of the client for each operation that has one. `request` of the client makes the others. */
const methods: Readonly<Record<string, string>> = {
  "GET /v1/conversations": "conversations.list",
  "GET /v1/conversations/{id}": "conversations.get",
  "PATCH /v1/conversations/{id}": "conversations.update",
  "DELETE /v1/conversations/{id}": "conversations.erase",
  "GET /v1/messages": "messages.list",
  "GET /v1/messages/{id}": "messages.get",
  "POST /v1/messages/reply": "messages.reply",
  "POST /v1/messages/human-agent": "messages.sendAsHumanAgent",
  "GET /v1/messages/holds/{hold_id}": "messages.getHold",
  "POST /v1/attachments/uploads": "attachments.createUpload",
  "POST /v1/attachments": "attachments.finishUpload",
  "GET /v1/attachments/uploads/{upload_id}": "attachments.getUpload",
  "GET /v1/accounts": "accounts.list",
  "DELETE /v1/accounts/{account_key}": "accounts.disconnect",
  "GET /v1/webhooks": "webhooks.list",
  "POST /v1/webhooks": "webhooks.create",
  "GET /v1/webhooks/{id}": "webhooks.get",
  "PATCH /v1/webhooks/{id}": "webhooks.update",
  "DELETE /v1/webhooks/{id}": "webhooks.delete",
  "POST /v1/webhooks/{id}/rotate": "webhooks.rotate",
  "POST /v1/webhooks/{id}/test": "webhooks.test",
  "GET /v1/webhooks/{id}/deliveries": "deliveries.list",
  "GET /v1/webhooks/{id}/deliveries/{deliveryId}": "deliveries.get",
  "GET /v1/webhooks/{id}/deliveries/summary": "deliveries.summary",
  "POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay": "deliveries.replay",
  "POST /v1/webhooks/{id}/deliveries/replay": "deliveries.replayAll",
  "GET /v1/keys": "keys.list",
  "POST /v1/keys": "keys.create",
  "DELETE /v1/keys/{id}": "keys.revoke",
  "GET /v1/audit": "audit.list",
  "GET /v1/stats": "stats.get",
  "GET /console/me": "me.get",
  "PATCH /console/me": "me.update",
  "GET /console/team": "team.list",
  "PATCH /console/team/{user_id}": "team.update",
  "DELETE /console/team/{user_id}": "team.remove",
  "GET /console/invites": "invites.list",
  "POST /console/invites": "invites.create",
  "POST /console/invites/{id}/resend": "invites.resend",
  "DELETE /console/invites/{id}": "invites.revoke",
  "POST /console/invites/{id}/accept": "invites.accept",
  "POST /console/invites/{id}/decline": "invites.decline",
  "GET /console/tenants": "tenants.list",
  "POST /console/tenants": "tenants.create",
  "GET /console/tenants/{slug}": "tenants.get",
  "PATCH /console/tenants/{slug}": "tenants.update",
};

/** These take one value of the body in place of it. */
const bodyFields: Readonly<Record<string, string>> = { "attachments.finishUpload": "upload_id" };

export interface ClientCall {
  /** `conversations.get` */
  readonly method: string;
  /** Path parameters, the body, the query: those that the request has. */
  readonly values: readonly unknown[];
}

/** A request by a method of the client. Null if it has none. */
export function clientCall(
  operation: string,
  { path, query, body }: { readonly path: object; readonly query: object; readonly body: unknown },
): ClientCall | null {
  const method = methods[operation];
  if (method === undefined) return null;
  const field = bodyFields[method];
  const sent = field === undefined ? body : (body as Record<string, unknown>)[field];
  const hasQuery = Object.keys(query).length > 0;
  const names = [...operation.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    method,
    values: [
      ...names.map((name) => (path as Record<string, unknown>)[name]),
      ...(sent === undefined ? [] : [sent]),
      ...(hasQuery ? [query] : []),
    ],
  };
}
