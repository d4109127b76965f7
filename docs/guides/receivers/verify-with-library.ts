import { Webhook } from "standardwebhooks"; // or from "svix"

export function verifyAndParse(rawBody: Buffer, headers: Record<string, string>, secret: string): unknown {
  new Webhook(secret.replace(/^whs_/, "whsec_")).verify(rawBody, headers); // throws if invalid or too old
  return JSON.parse(rawBody.toString());
}
