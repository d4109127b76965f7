import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { signWebhook } from "../../support/sign-webhook.ts";

export const SECRET = `whs_${Buffer.alloc(32, 3).toString("base64")}`;

/** A delivery as the service sends it, over text of several bytes a character. */
export function signedRequest(id: string, type = "message.received", { secret = SECRET, now = Date.now() } = {}) {
  const data = { message: { conversation_id: "CONV#demo", text: "Grüße 👩🏽‍🚀" } };
  const body = JSON.stringify({
    id,
    type,
    api_version: "1.0.0",
    created_at: "2026-11-29T15:00:00.000Z",
    tenant_id: "demo",
    data,
  });
  const headers: Record<string, string> = {
    ...signWebhook([secret], id, body, now),
    "content-type": "application/json",
  };
  return { method: "POST", headers, body };
}

/** Posts a delivery. @returns its status and the text of the response */
export async function deliver(
  url: string,
  request: { method?: string; headers: Record<string, string>; body: string },
) {
  const response = await fetch(url, { method: "POST", ...request });
  return { status: response.status, text: await response.text() };
}

type Listener = Parameters<typeof createServer>[1];

/** Serves on a free loopback port until it is disposed. */
export async function serve(listener: Listener): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
