import * as z from "zod/mini";
import { INTAKE_BODY_BYTES_MAX } from "#base/kernel/limits.ts";
import { refuse } from "#base/kernel/refusals.ts";
import { isPlatform } from "#features/accounts/rules/accounts.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { HttpResponse } from "#http/http-response.ts";
import { tryTwice } from "#http/platform-secrets.ts";
import { receiveWebhook } from "../flows/inbound-webhooks.ts";
import type { IntakePorts } from "../ports.ts";

const endpoint = endpointsFor<IntakePorts>();

/** The platforms send digits. It is repeated in the response, so it must be nothing that a browser would read as a page. */
const challenge = z.string().check(z.refine((text) => /^[\w-]*$/.test(text), "must be letters, digits, - and _"));

const confirmSubscription = endpoint.public({
  operation: "confirmPlatformSubscription",
  method: "GET",
  path: "/webhooks/{platform}",
  tag: "Platform intake",
  summary: "Confirm a webhook subscription",
  query: () =>
    z.object({
      "hub.mode": z.optional(z.string()),
      "hub.verify_token": z.optional(z.string()),
      "hub.challenge": z.optional(challenge),
    }),
  envelope: false,
  answers: { 200: { description: "The challenge, as it was sent.", types: ["text/plain"] } },
  refusals: ["handshake_refused", "route_not_found"],
  handle: async ({ path, query, ports }) => {
    if (!isPlatform(path.platform)) return refuse("route_not_found");
    const handshakeQuery = {
      ...(query["hub.mode"] === undefined ? {} : { mode: query["hub.mode"] }),
      ...(query["hub.verify_token"] === undefined ? {} : { token: query["hub.verify_token"] }),
      ...(query["hub.challenge"] === undefined ? {} : { challenge: query["hub.challenge"] }),
    };
    const challenge = await tryTwice(ports, ({ verifyToken }) => ports.verifyHandshake(handshakeQuery, verifyToken));
    if (challenge === null) return refuse("handshake_refused");
    return new HttpResponse(challenge, { headers: { "content-type": "text/plain; charset=utf-8" } });
  },
});

const receive = endpoint.public({
  operation: "receivePlatformWebhook",
  method: "POST",
  path: "/webhooks/{platform}",
  tag: "Platform intake",
  summary: "Receive a platform webhook",
  requestHeaders: () =>
    z.object({
      "x-hub-signature-256": z
        .string()
        .check(
          z.regex(/^sha256=[0-9a-f]{64}$/),
          z.describe("The HMAC-SHA256 of the raw body with the secret of the platform app, in hexadecimal."),
        ),
    }),
  body: "bytes",
  rawBody: { type: "application/json", schema: z.looseObject({ object: z.string(), entry: z.array(z.unknown()) }) },
  bodyBytesMax: INTAKE_BODY_BYTES_MAX,
  envelope: false,
  answers: { 200: { description: "The webhook is stored durably.", types: ["text/plain"] } },
  refusals: ["signature_invalid", "route_not_found"],
  handle: async ({ path, body, request, now, ports }) => {
    if (!isPlatform(path.platform)) return refuse("route_not_found");
    const signature = request.headers.get("x-hub-signature-256") ?? undefined;
    const isSigned = await tryTwice(ports, ({ meta, instagram }) =>
      ports.verifySignature(body, signature, [...meta, ...instagram]) ? true : null,
    );
    if (!isSigned) {
      ports.log({ event: "intake.refused", reason: "signature" });
      return refuse("signature_invalid");
    }
    await receiveWebhook(ports, body, now);
    ports.log({ event: "metrics.counted", metrics: { Accepted: 1 } });
    return new HttpResponse("EVENT_RECEIVED", { headers: { "content-type": "text/plain; charset=utf-8" } });
  },
});

/** The routes that the platforms call. Each path accepts the webhooks of every platform. */
export const intakeRoutes = [confirmSubscription, receive] as const;
