/** What the document says of the API as a whole. */
export const documentInfo = {
  summary: "A multi-tenant gateway for business messaging on Instagram and Messenger",
  description: [
    "Every `/v1` response is one envelope: `{ ok: true, data }` or `{ ok: false, error: { code, message, detail } }`. Branch on `ok`, and on `error.code`, never on `error.message`.",
    "Within a major version, names, parameters, fields and codes only grow. Ignore unknown fields, and tolerate unknown event types and codes.",
    "Each path with GET also answers HEAD: the same status and headers without a body. Only the link of a sign-in and the callbacks of a login do not act on HEAD.",
    "A path without the method of a request answers 405, a path without any route 404 `route_not_found`: see `x-unrouted`. From the origin of the console, OPTIONS answers a preflight with 204.",
    "The gateway in front of the service answers 413, 429, 500 and 503 without the envelope: see the schema `GatewayError`.",
    "The extensions: `x-role` is the role that a signed-in person needs at least, `x-key-scopes` the scopes of the keys that may call, `x-realtime` the WebSocket that a ticket opens.",
  ].join("\n\n"),
  license: { name: "Apache-2.0", identifier: "Apache-2.0" },
} as const;
