import { iso } from "#base/kernel/time.ts";
import type { Conversation } from "../../../../web/console/data/types.ts";
import { listPage } from "../data/small-server.ts";
import { type ApiAnswer, type ApiRequest, ok, operationOf, refusal } from "./answers.ts";
import { Correspondences } from "./correspondences.ts";
import type { Frame } from "./frames.ts";
import { ACCOUNT_KEY, BEN, ME } from "./people.ts";
import { Sending } from "./sending.ts";
import { Uploads } from "./uploads.ts";

/** The token of the session. The service also sets it as the cookie `console_csrf`. */
export const CSRF_TOKEN = "csrf-token-of-the-model";
const PAGE = 50;

/** The API of one workspace in memory, as the console calls it. */
export class ApiModel {
  /** How far the server's clock is ahead of this machine's, in milliseconds. */
  clockSkew = 0;
  isSignedIn = true;
  name: string | null = "Mara";
  role = "owner";
  /** When the session ends, in milliseconds from now. */
  sessionLeft = 8 * 3_600_000;
  /** A page of a list with a filter examines at most so many conversations. */
  examinedMax = 200;
  readonly now = (): number => Date.now() + this.clockSkew;
  readonly inbox: Correspondences;
  readonly sending: Sending;
  readonly uploads: Uploads;
  readonly socketUrl: string;
  readonly #cursors = new Map<string, Conversation>();

  /** @param emit is called with each frame */
  constructor(emit: (frame: Frame) => void, { origin, socketUrl }: { origin: string; socketUrl: string }) {
    this.inbox = new Correspondences(this.now, emit);
    this.sending = new Sending(this.inbox, emit);
    this.uploads = new Uploads(this.now, emit);
    this.uploads.origin = origin;
    this.socketUrl = socketUrl;
  }

  /** Answers a call. A path that the model does not know is an error of the test. */
  answer(request: ApiRequest): ApiAnswer {
    const { method, path, headers } = request;
    const operation = operationOf(method, path);
    const [, holdId, step = ""] = /^\/verify\/holds\/(\w+)(?:\/(\w+))?$/.exec(path) ?? [];
    if (holdId !== undefined) return this.sending.check(holdId, step, request.body);
    if (operation === "POST /console/auth/request") return ok({ sent: true });
    if (!this.isSignedIn) return refusal(401, "unauthorized");
    if (method !== "GET" && headers["x-csrf-token"] !== CSRF_TOKEN) return refusal(403, "csrf_failed");
    return this.#session(operation, request) ?? this.#workspace(operation, request);
  }

  #session(operation: string, { body }: ApiRequest): ApiAnswer | null {
    const { userId, actorId } = ME;
    const joined = { tenant: "acme", created_at: iso(0), invited_by: "cli" };
    const mara = { ...joined, user_id: userId, email: "mara@example.com", name: this.name, role: this.role };
    const ben = { ...joined, user_id: BEN.userId, email: "ben@example.com", name: "Ben", role: "agent" };
    switch (operation) {
      case "PATCH /console/me":
        this.name = String(body.name);
        return this.#session("GET /console/me", { body } as ApiRequest);
      case "GET /console/me":
        return ok({
          user_id: userId,
          actor_id: actorId,
          email: mara.email,
          name: this.name,
          session_expires_at: iso(this.now() + this.sessionLeft),
          tenant: "acme",
          tenants: ["acme"],
          csrf_token: CSRF_TOKEN,
          invites: [],
        });
      case "GET /console/tenants":
        return ok({ tenants: [ownTenant(this.role)] });
      case "GET /console/team":
        return ok({ members: [mara, ben] });
      case "POST /console/auth/logout":
        this.isSignedIn = false;
        return ok({ signed_out: true });
      case "POST /console/session/ws-ticket":
        return ok({
          ticket: "wst_000000000000000000000000000000000000000000",
          expires_at: this.now() + 60_000,
          expires_in_ms: 60_000,
          url: this.socketUrl,
        });
      default:
        return null;
    }
  }

  #workspace(operation: string, request: ApiRequest): ApiAnswer {
    const id = decodeURIComponent(request.path.split("/")[3] ?? "");
    switch (operation) {
      case "GET /v1/accounts":
        return ok({ accounts: [account] });
      case "GET /v1/webhooks":
        return ok({ endpoints: [] });
      case "GET /v1/keys":
        return ok({ keys: [] });
      case "GET /v1/conversations":
        return this.#list(request.query);
      case "POST /v1/messages/reply":
        return this.sending.reply(request);
      case "POST /v1/messages/human-agent":
        return this.sending.hold(request);
      case "GET /v1/messages/holds/{hold_id}":
        return this.sending.getHold(request.path.split("/")[4] ?? "");
      case "POST /v1/attachments/uploads":
        return this.uploads.create(request);
      case "POST /v1/attachments":
        return this.uploads.finish(request);
      case "GET /v1/attachments/uploads/{upload_id}":
        return this.uploads.get(request.path.split("/")[4] ?? "");
    }
    if (!operation.endsWith(" /v1/conversations/{id}")) throw new Error(`The model has no ${operation}.`);
    if (!this.inbox.all.has(id)) return refusal(404, "conversation_not_found");
    if (request.method === "PATCH") return ok({ conversation: this.inbox.setDone(id, request.body.done === true) });
    if (request.method === "DELETE") return ok({ done: true, removed: removed(this.inbox.erase(id)) });
    return this.#thread(id, request.query);
  }

  /** A cursor names the conversation that its page examined last as it was then, as that of the service does. */
  #list(query: URLSearchParams): ApiAnswer {
    const after = this.#cursors.get(query.get("cursor") ?? "") ?? null;
    const limit = Number(query.get("limit") ?? PAGE);
    const { examinedMax } = this;
    const page = { after, limit, examinedMax, now: this.now() };
    const { conversations, last } = listPage(this.inbox.conversations(), query, page);
    if (last === null) return ok({ conversations, next_cursor: null });
    const next_cursor = `after ${this.#cursors.size}`;
    this.#cursors.set(next_cursor, last);
    return ok({ conversations, next_cursor });
  }

  #thread(id: string, query: URLSearchParams): ApiAnswer {
    const newestFirst = [...this.inbox.get(id).messages].reverse();
    const start = newestFirst.findIndex((message) => message.id === query.get("cursor")) + 1;
    const messages = newestFirst.slice(start, start + Number(query.get("limit") ?? PAGE));
    const isEnd = start + messages.length >= newestFirst.length;
    return ok({
      conversation: this.inbox.conversation(id),
      messages,
      next_cursor: isEnd ? null : (messages.at(-1)?.id ?? null),
    });
  }
}

const account = {
  account_key: ACCOUNT_KEY,
  platform: "instagram",
  external_id: ACCOUNT_KEY.split("#")[1],
  handle: "harbor.tailors",
  display_name: "Harbor Tailors",
  picture: null,
  page_id: null,
  connection: "instagram_login",
  status: "active",
  status_detail: null,
  refresh_error: null,
  last_refreshed_at: iso(0),
  token_expires_at: null,
  human_agent_blocked_at: null,
  subscribed_at: null,
  subscription: { state: "unchecked", checked_at: null },
  missing_since: null,
};

function ownTenant(role: string) {
  const times = { created_at: iso(0), updated_at: iso(0) };
  return {
    id: "acme",
    name: "Acme",
    status: "active",
    language: null,
    ...times,
    role,
    invited_by: "cli",
    invited_by_email: null,
  };
}

function removed(messages: number) {
  const none = { deliveries: 0, uploads: 0, holds: 0, send_records: 0 };
  return { conversation: 1, profile: 1, messages, markers: 0, ...none };
}
