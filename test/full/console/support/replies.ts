import { ACCOUNT, type Answer, account, type Call, HOUR, messageOf } from "./small-world.ts";

const ok = (data: unknown, status = 200): Answer => ({ status, data });
let sent = 0;

/** What the API of a small world answers. */
export function fill(call: Call): Answer {
  return call.page.webhooks.answer(call) ?? call.page.office.answer(call) ?? fillInbox(call);
}

function fillInbox(call: Call): Answer {
  const { operation, id, body, page } = call;
  const { conversations, messages } = page;
  const conversation = conversations.get(id);
  switch (operation) {
    case "GET /console/me":
      return ok(page.me);
    case "PATCH /console/me":
      page.me = { ...page.me, name: body.name };
      return ok(page.me);
    case "GET /console/tenants":
      return ok({ tenants: page.workspaces });
    case "PATCH /console/tenants/{slug}":
      page.workspaces = page.workspaces.map((each) => (each.id === id ? { ...each, ...body } : each));
      return ok({ tenant: page.workspaces.find((each) => each.id === id) });
    case "POST /console/tenants":
      return ok({ tenant: body }, 201);
    case "GET /console/team":
      return ok({ members: page.team });
    case "POST /console/session/ws-ticket":
      return ok({ ticket: "t", expires_at: 0, expires_in_ms: 1, url: `${page.origin.replace("http", "ws")}/live` });
    case "GET /v1/accounts":
      return ok({ accounts: page.accounts });
    case "GET /v1/conversations":
      return ok({ conversations: [...conversations.values()], next_cursor: null });
    case "GET /v1/conversations/{id}":
      if (!conversation) return { status: 404, code: "conversation_not_found" };
      return ok({ conversation, messages: [...(messages.get(id) ?? [])].reverse(), next_cursor: null });
    case "PATCH /v1/conversations/{id}": {
      const done_at = body.done === true ? new Date().toISOString() : null;
      const next = { ...conversation, done_at, needs_reply: done_at === null } as never;
      conversations.set(id, next);
      return ok({ conversation: next });
    }
    case "DELETE /v1/conversations/{id}":
      return ok({ done: true, removed: { messages: 2 } });
    case "POST /v1/messages/reply":
      return ok({ platform_message_id: `sent_${sent++}` });
    case "POST /v1/messages/human-agent":
      return ok({ hold: hold(page.origin, "awaiting_verification") }, 201);
    case "POST /verify/holds/{id}/challenge":
      return ok({ challenge: { c: 1, s: 8, d: 1 }, token: "token" });
    case "GET /verify/solver.js":
      return { status: 200, body: "onmessage = () => postMessage(0);", headers: { "content-type": "text/javascript" } };
    case "POST /verify/holds/{id}/complete":
      return ok({ hold: hold(page.origin, "sent") });
    case "POST /v1/attachments/uploads":
      return ok(
        { upload: { id: "upl_1", url: `${page.origin}/storage`, fields: {}, method: "POST", max_size: 1e8 } },
        201,
      );
    case "POST /storage":
      return { status: 204, body: "" };
    case "POST /v1/attachments":
      return ok({ upload: { id: "upl_1", status: "processing" } }, 202);
    case "GET /v1/attachments/uploads/{id}":
      return ok({ upload: { id, status: "ready", attachment: { id: "att_1", type: "image" } } });
    case "POST /oauth/instagram/start":
      return ok({ url: loginEnd(call, "connected", `instagram#${ACCOUNT}`) });
    case "POST /oauth/messenger/start":
      return ok({ url: loginEnd(call, "choose", "messenger") });
    case "DELETE /v1/accounts/{id}":
      page.accounts = page.accounts.filter(({ account_key }) => account_key !== id);
      return ok({ disconnected: true });
    case "GET /oauth/messenger/pages":
      return ok({ pages: page.loginPages });
    case "POST /oauth/messenger/select":
      return ok({ accounts: select(call) });
    case "GET /console/auth/sign-in":
      return { status: 200, body: "<!doctype html><title>Sign in</title><h1>Sign in</h1>" };
    default:
      return operation.startsWith("GET ") ? { status: 404, code: "route_not_found" } : ok({});
  }
}

/** Where a login redirects that the platform grants at once. */
function loginEnd({ page, query }: Call, name: string, value: string): string {
  const url = new URL(query.get("redirect") ?? "/", page.origin);
  url.searchParams.set(name, value);
  return url.href;
}

/** Connects what was chosen of a page. */
function select({ page, body }: Call): Record<string, unknown>[] {
  const chosen = page.loginPages.find(({ page_id }) => page_id === body.page_id);
  const selected = (body.connect as ("messenger" | "instagram")[]).map((kind) => {
    const account_key = chosen?.[kind]?.account_key ?? "";
    const connection = kind === "messenger" ? "messenger" : "instagram_page";
    return account(String(chosen?.name), { account_key, platform: kind, connection, page_id: chosen?.page_id });
  });
  const keys = selected.map(({ account_key }) => account_key);
  page.accounts = [...page.accounts.filter(({ account_key }) => !keys.includes(String(account_key))), ...selected];
  return selected;
}

function hold(origin: string, status: string) {
  return {
    id: "hold_1",
    status,
    platform: "instagram",
    verify_url: `${origin}/verify?hold=hold_1#t=secret`,
    expires_at: new Date(Date.now() + HOUR / 4).toISOString(),
    error: null,
  };
}

/** The frame of a message, as the stream sends it. */
export function receivedFrame(person: string, id: string, more: object = {}) {
  const message = { ...messageOf(id, person, more as never), participant: { id: person } };
  return {
    id: `evt_${id}`,
    type: "message.received",
    tenant_id: "acme",
    created_at: message.sent_at,
    data: { message },
  };
}

/** The frame of a conversation. */
export function updatedFrame(conversation: object, at = Date.now()) {
  const created_at = new Date(at).toISOString();
  return {
    id: `evt_c_${at}_${Math.random()}`,
    type: "conversation.updated",
    tenant_id: "acme",
    created_at,
    data: { conversation },
  };
}
