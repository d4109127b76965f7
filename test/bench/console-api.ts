import type { IncomingMessage, ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { Conversation, Message } from "#client";
import { plainMessage } from "../web/console/data/plain-message.ts";
import { startConsoleServer } from "../web/support/console-server.ts";

const TENANT = "acme";
const PAGE = 50;
const MESSAGES = 60;
const MINUTE = 60_000;
const ACCOUNT = "178414";

/** The console with an API in memory: one list of conversations, of which every second one needs a reply. */
export interface ConsoleBench {
  readonly origin: string;
  /** Pushes a new message of a conversation, by its number, as one frame. */
  push(index: number): void;
  readonly sockets: () => number;
  close(): void;
}

export async function startConsoleBench(count: number): Promise<ConsoleBench> {
  const startedAt = Date.now();
  const conversations = Array.from({ length: count }, (_, index) => conversation(index, startedAt - index * 5_000));
  const sockets = new Set<WebSocket>();
  let pushed = 0;
  const served = await startConsoleServer((request, response) => answer(request, response, conversations));
  const streams = new WebSocketServer({ server: served.server, path: "/live" });
  streams.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", () => socket.send(JSON.stringify({ type: "pong" })));
    socket.send(
      JSON.stringify({
        type: "hello",
        connection_id: "c1",
        server_time: Date.now(),
        expires_at: Date.now() + 120 * MINUTE,
      }),
    );
  });
  return {
    origin: served.origin,
    sockets: () => sockets.size,
    push(index) {
      pushed += 1;
      const next = { ...conversation(index, Date.now()), last_message_text: `Message ${pushed}` };
      conversations[index] = next;
      const { participant_name: name } = next;
      const participant = { id: next.participant_id, name, handle: null, username: null };
      const frame = {
        id: `evt_${pushed}`,
        type: "message.received",
        tenant_id: TENANT,
        created_at: new Date().toISOString(),
        data: {
          message: { ...message(next, `pushed${pushed}`, Date.now()), participant },
          conversation: next,
        },
      };
      for (const socket of sockets) socket.send(JSON.stringify(frame));
    },
    close() {
      for (const socket of sockets) socket.terminate();
      streams.close();
      served.close();
    },
  };
}

function conversation(index: number, at: number): Conversation {
  const needsReply = index % 2 === 0;
  const time = new Date(at).toISOString();
  return {
    id: `CONV#${TENANT}#instagram#${ACCOUNT}#${index}`,
    tenant_id: TENANT,
    account_key: `instagram#${ACCOUNT}`,
    account_handle: "acme",
    platform: "instagram",
    participant_id: String(index),
    participant_handle: `person.${index}`,
    participant_username: `person.${index}`,
    participant_name: `Person ${index}`,
    participant_picture: null,
    participant_profile: "complete",
    last_inbound_at: time,
    last_outbound_at: needsReply ? null : new Date(at + 1).toISOString(),
    last_message_at: needsReply ? time : new Date(at + 1).toISOString(),
    last_message_text: `Do you have number ${index} in stock?`,
    last_message: { direction: needsReply ? "inbound" : "outbound", kind: "text" },
    window: { state: "open_24h", expires_at: new Date(at + 24 * 60 * MINUTE).toISOString() },
    unanswered: needsReply,
    waiting_since: needsReply ? time : null,
    done_at: null,
    needs_reply: needsReply,
    can_reply: true,
    can_send_as_human_agent: false,
  };
}

function message({ id, account_key, platform }: Conversation, suffix: string, at: number): Message {
  return {
    ...plainMessage,
    id: `m_${suffix}`,
    conversation_id: id,
    account_key,
    platform,
    direction: "inbound",
    text: `Message ${suffix}: do you have the blue bowl in stock, and how much is the parcel?`,
    sent_at: new Date(at).toISOString(),
    sent_via: "participant",
    actor_id: null,
  };
}

function answer(request: IncomingMessage, response: ServerResponse, conversations: readonly Conversation[]): void {
  const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
  const data = toData(url, conversations);
  const body =
    data === null ? { ok: false, error: { code: "route_not_found", message: "No route." } } : { ok: true, data };
  response
    .writeHead(data === null ? 404 : 200, { "content-type": "application/json" })
    .end(JSON.stringify({ correlation_id: "cor_1", ...body }));
}

function toData(url: URL, conversations: readonly Conversation[]): object | null {
  const at = new Date().toISOString();
  switch (url.pathname) {
    case "/console/me":
      return {
        user_id: "usr_1",
        actor_id: "console:usr_1",
        email: "ines@example.com",
        name: "Ines",
        session_expires_at: new Date(Date.now() + 600 * MINUTE).toISOString(),
        tenant: TENANT,
        tenants: [TENANT],
        csrf_token: "token",
        invites: [],
      };
    case "/console/tenants":
      return {
        tenants: [{ id: TENANT, name: "Acme", status: "active", created_at: at, updated_at: at, role: "agent" }],
      };
    case "/console/team":
      return { members: [], invites: [] };
    case "/v1/accounts":
      return { accounts: [] };
    case "/console/session/ws-ticket":
      return { ticket: "t", expires_at: Date.now() + MINUTE, expires_in_ms: MINUTE, url: `ws://${url.host}/live` };
    case "/v1/conversations":
      return listPage(url.searchParams, conversations);
  }
  const id = /^\/v1\/conversations\/([^/]+)$/.exec(url.pathname)?.[1];
  const opened = conversations.find((each) => each.id === decodeURIComponent(id ?? ""));
  if (!opened) return null;
  const newest = Date.parse(opened.last_message_at);
  const messages = Array.from({ length: MESSAGES }, (_, age) =>
    message(opened, `${opened.participant_id}-${age}`, newest - age * 30_000),
  );
  return { conversation: opened, messages: messages.slice(0, PAGE), next_cursor: null };
}

function listPage(query: URLSearchParams, conversations: readonly Conversation[]): object {
  const start = Number(query.get("cursor") ?? 0);
  const needsReply = query.get("needs_reply") === "true";
  const inboundAt = (each: Conversation) => Date.parse(each.last_inbound_at ?? "");
  const listed = needsReply
    ? conversations.filter(({ needs_reply }) => needs_reply).sort((a, b) => inboundAt(a) - inboundAt(b))
    : [...conversations].sort((a, b) => Date.parse(b.last_message_at) - Date.parse(a.last_message_at));
  const end = start + PAGE;
  return { conversations: listed.slice(start, end), next_cursor: end < listed.length ? String(end) : null };
}
