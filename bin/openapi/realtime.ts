import * as z from "zod/mini";
import { streamFrameSchemas } from "#features/realtime/events.ts";
import { activityStates } from "#features/realtime/rules/activity.ts";
import { type Json, removeDatePattern } from "#http/openapi/schemas.ts";
import { withKnownSchemas } from "./known-schemas.ts";

interface RealtimeStream {
  readonly description: string;
  readonly address: { readonly description: string; readonly example: string };
  /** What a client may send. */
  readonly client: { readonly frames: readonly Frame[] };
  /** What a client gets. */
  readonly server: { readonly frames: readonly Frame[]; readonly events: string; readonly failure: Frame };
}

interface Frame {
  readonly name: string;
  readonly description: string;
  readonly schema: { readonly $ref: string };
}

type FrameName = keyof typeof streamFrameSchemas;

const descriptions: Readonly<Record<FrameName, string>> = {
  hello:
    "The first frame, once the connection stands. Fetch what you show again when it arrives. Times are epoch milliseconds.",
  pong: "The answer to `ping`. Pings before `hello` are answered after it, once.",
  "message.received":
    "A person sent a message. On a connection with `include=conversation`, the newest message of a push has the conversation after it, and no `conversation.updated` follows.",
  "message.sent":
    "The account sent a message. On a connection with `include=conversation`, the newest message of a push has the conversation after it, and no `conversation.updated` follows.",
  "conversation.updated":
    "A conversation changed: a message, an echo or a profile. It is as `GET /v1/conversations` shows it. `erased` says that it was erased.",
  "hold.updated": "A held message changed its status.",
  "upload.updated": "An upload changed its status.",
  "presence.updated":
    "Another person of the tenant reads or writes in a conversation, or left it. Only sockets of people get it, and of a tenant with at most 50 sockets. Forget `reading` after 90 seconds and `writing` after 12 seconds without a repetition.",
};

const GATEWAY_FAILURE = "gateway-failure";

const pingSchema = {
  type: "object",
  properties: { type: { type: "string", const: "ping" } },
  required: ["type"],
};

const presenceSchema = {
  type: "object",
  properties: {
    type: { type: "string", const: "presence" },
    conversation_id: { type: "string" },
    state: { type: "string", enum: [...activityStates] },
  },
  required: ["type", "conversation_id", "state"],
};

/** What the gateway sends itself, in its own form, when the function that processes a frame of a client fails. */
const gatewayFailureSchema = {
  type: "object",
  properties: {
    message: { type: "string", examples: ["Internal server error"] },
    connectionId: { type: "string" },
    requestId: { type: "string" },
  },
  required: ["message", "connectionId", "requestId"],
};

/** The named schemas of the frames of the realtime stream. @param components the schemas that the document has */
export function frameSchemas(components: Json): Json {
  const entries = Object.entries(streamFrameSchemas).map(([name, schema]) => {
    const { $schema: _, ...json } = z.toJSONSchema(schema(), {
      io: "input",
      override: ({ jsonSchema }) => removeDatePattern(jsonSchema),
    }) as Json;
    return [frameSchemaName(name), withKnownSchemas(json, components)];
  });
  return Object.fromEntries([
    [frameSchemaName("ping"), pingSchema],
    [frameSchemaName("presence"), presenceSchema],
    [frameSchemaName(GATEWAY_FAILURE), gatewayFailureSchema],
    ...entries,
  ]);
}

/** `x-realtime` of the document: the WebSocket that a ticket opens. */
export function realtimeStream(): RealtimeStream {
  const toFrame = (name: string, description: string): Frame => ({
    name,
    description,
    schema: { $ref: `#/components/schemas/${frameSchemaName(name)}` },
  });
  return {
    description:
      "A WebSocket that sends each event of a tenant within a second. Delivery is at-least-once and unordered: de-duplicate by `id`. There is no replay. A connection lasts two hours at most, and ten minutes without a frame. A frame over 4 KB, or more than 60 frames in one minute of the clock, closes it. Any other frame than `ping` and `presence` is ignored.",
    address: {
      description:
        "`url` of a ticket, with the ticket in the query. With `&include=conversation` a message and its conversation come in one frame. A ticket opens one connection, within 60 seconds. The handshake is refused with 401 for a ticket that was used, has expired or is unknown, with 403 for a ticket of a session from another `Origin` than the console, and with 429 while the tenant has 1,000 connections.",
      example: "wss://<host>/<stage>?ticket=wst_…",
    },
    client: {
      frames: [
        toFrame("ping", "Keeps the connection open."),
        toFrame(
          "presence",
          "What the person of the socket does with a conversation. The other people of the tenant get `presence.updated`; nothing is stored. Repeat `reading` within 90 seconds and `writing` within 12 seconds. Without an answer; that of a key, and of a conversation id that is none of the tenant, is ignored.",
        ),
      ],
    },
    server: {
      frames: (Object.keys(streamFrameSchemas) as FrameName[]).map((name) => toFrame(name, descriptions[name])),
      events: "Each event under `webhooks` but `conversation.updated`, as the body that an endpoint gets.",
      failure: toFrame(
        GATEWAY_FAILURE,
        "The only frame without a `type`: a frame of the client was not processed. Ignore it, or send the ping again.",
      ),
    },
  };
}

/** `ConversationUpdatedFrame` of `conversation.updated`, `GatewayFailureFrame` of `gateway-failure`. */
function frameSchemaName(name: string): string {
  const words = name.split(/[.-]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Frame`;
}
