import { Webhook } from "standardwebhooks"; // or from "svix"

export function verifyAndParse(rawBody: Buffer, headers: Record<string, string>, secret: string): unknown {
  new Webhook(secret.replace(/^whs_/, "whsec_")).verify(rawBody, headers); // throws unless genuine and fresh
  return JSON.parse(rawBody.toString());
}
