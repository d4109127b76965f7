import type { Json } from "#http/openapi/schemas.ts";

/** The headers of a delivery, as parameters of the request that an endpoint gets. */
export const deliveryHeaders: readonly Json[] = [
  header("Svc-Signature", {
    description:
      "The HMAC-SHA256 of `<Svc-Timestamp>.<raw body>`, keyed with the whole secret, in hexadecimal. Two values during the overlap after a rotation.",
    pattern: "^v1=[0-9a-f]{64}(,v1=[0-9a-f]{64})*$",
  }),
  header("Svc-Timestamp", { description: "Unix seconds. Part of the signed content.", pattern: "^[0-9]+$" }),
  header("Svc-Event-Id", { description: "The `id` of the body. De-duplicate by it." }),
  header("Svc-Event-Type", { description: "The `type` of the body." }),
  header("Svc-Delivery-Id", { description: "The same for every attempt of a delivery." }),
  header("webhook-id", { description: "The event id, in the Standard Webhooks format." }),
  header("webhook-timestamp", { description: "Unix seconds, in the Standard Webhooks format." }),
  header("webhook-signature", { description: "`v1,` and a signature in base64, in the Standard Webhooks format." }),
];

function header(name: string, { description, ...schema }: { readonly description: string; readonly pattern?: string }) {
  return { name, in: "header", required: true, description, schema: { type: "string", ...schema } };
}
