import { type CallOptions, HttpClient } from "./http-client.ts";
import type { Data } from "./operations.ts";
import { RealtimeConnection, type RealtimeOptions } from "./realtime/connection.ts";
import { attachmentCalls } from "./resources/attachments.ts";
import { inviteCalls, meCalls, teamCalls, tenantCalls } from "./resources/console.ts";
import { holdCalls } from "./resources/holds.ts";
import { conversationCalls, messageCalls } from "./resources/inbox.ts";
import { loginCalls } from "./resources/logins.ts";
import { deliveryCalls, webhookCalls } from "./resources/webhooks.ts";
import { accountCalls, auditCalls, keyCalls, statsCalls } from "./resources/workspace.ts";

/** A client of the Parley API. Routes without a method here are called with `request`. */
export class Parley extends HttpClient {
  readonly accounts: ReturnType<typeof accountCalls> = accountCalls(this);
  readonly attachments: ReturnType<typeof attachmentCalls> = attachmentCalls(this);
  readonly audit: ReturnType<typeof auditCalls> = auditCalls(this);
  readonly conversations: ReturnType<typeof conversationCalls> = conversationCalls(this);
  readonly deliveries: ReturnType<typeof deliveryCalls> = deliveryCalls(this);
  readonly holds: ReturnType<typeof holdCalls> = holdCalls(this);
  readonly invites: ReturnType<typeof inviteCalls> = inviteCalls(this);
  readonly keys: ReturnType<typeof keyCalls> = keyCalls(this);
  readonly logins: ReturnType<typeof loginCalls> = loginCalls(this);
  readonly me: ReturnType<typeof meCalls> = meCalls(this);
  readonly messages: ReturnType<typeof messageCalls> = messageCalls(this);
  readonly stats: ReturnType<typeof statsCalls> = statsCalls(this);
  readonly team: ReturnType<typeof teamCalls> = teamCalls(this);
  readonly tenants: ReturnType<typeof tenantCalls> = tenantCalls(this);
  readonly webhooks: ReturnType<typeof webhookCalls> = webhookCalls(this);

  /** Opens the realtime stream. It stays open until `close` is called, the signal is aborted or the access ends. */
  connect(options: RealtimeOptions): RealtimeConnection {
    return new RealtimeConnection(this, options);
  }

  /** The name, version and time of the service. Needs no key. */
  ping(options: CallOptions = {}): Promise<Data<"GET /v1/ping">> {
    return this.request("GET /v1/ping", options);
  }
}
