import { startSimulator } from "#simulator";
import { demoAccounts } from "../../../local/stack/seed.ts";
import { platformHosts } from "../../../local/stack/settings.ts";
import { controlHeaders, testControlToken } from "../../support/access/control-token.ts";
import type { Ledger } from "./ledger.ts";
import { type Exchange, openRecordingProxy } from "./recording-proxy.ts";

const META_SECRET = "soak-meta-secret";
const INSTAGRAM_SECRET = "soak-instagram-secret";
const VERIFY_TOKEN = "soak-verify-token";

/** The platforms, in the test's process: they outlive the stack, and their webhooks and calls are recorded. */
export interface Platform {
  /** The settings of a stack that uses these platforms. */
  readonly environment: Readonly<Record<string, string>>;
  /** A control route of the simulator. */
  control<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Adds the messages that the platform accepted to the ledger. */
  recordLeftMessages(): Promise<void>;
  close(): Promise<void>;
}

/** @param stackUrl the origin of the running stack; null while there is none */
export async function openPlatform(ledger: Ledger, stackUrl: () => string | null): Promise<Platform> {
  const webhooks = await openRecordingProxy({
    target: stackUrl,
    onResponse: (exchange) => recordWebhook(ledger, exchange),
  });
  const simulator = await startSimulator({
    port: 0,
    webhookBase: webhooks.url,
    metaSecret: META_SECRET,
    instagramSecret: INSTAGRAM_SECRET,
    verifyToken: VERIFY_TOKEN,
    controlToken: testControlToken,
    accounts: demoAccounts.map((account) => ({ ...account })),
  });
  const graph = await openRecordingProxy({
    target: () => simulator.url,
    onRequest: (exchange) => recordCall(ledger, exchange),
  });
  const urls = Object.fromEntries(platformHosts.map((host) => [host, `${graph.url}/${host}`]));
  const control = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${simulator.url}/_sim${path}`, {
      method,
      headers: { ...controlHeaders(), "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  return {
    environment: {
      PARLEY_PLATFORM_URLS: JSON.stringify(urls),
      PARLEY_META_APP_SECRET: META_SECRET,
      PARLEY_INSTAGRAM_APP_SECRET: INSTAGRAM_SECRET,
      PARLEY_VERIFY_TOKEN: VERIFY_TOKEN,
    },
    control,
    async recordLeftMessages() {
      const { sent } = await control<{ sent: { mid: string; request: { message?: { text?: string } } }[] }>(
        "GET",
        "/sent",
      );
      const known = new Set(ledger.left.map(({ mid }) => mid));
      for (const { mid, request } of sent) {
        if (!known.has(mid)) ledger.left.push({ mid, text: request.message?.text ?? "" });
      }
    },
    async close() {
      await simulator.close();
      await Promise.all([webhooks.close(), graph.close()]);
    },
  };
}

interface WebhookBody {
  readonly entry: readonly {
    readonly messaging?: readonly { readonly message?: { readonly mid: string; readonly is_deleted?: boolean } }[];
  }[];
}

function recordWebhook({ acknowledged }: Ledger, { body, status }: Exchange): void {
  if (status !== 200) return;
  const { entry } = JSON.parse(body.toString("utf8")) as WebhookBody;
  for (const { message } of entry.flatMap(({ messaging = [] }) => messaging)) {
    if (message && !message.is_deleted) acknowledged.add(message.mid);
  }
}

function recordCall({ platformCalls }: Ledger, { method, path, body }: Exchange): void {
  if (method !== "POST" || !path.split("?")[0]?.endsWith("/messages")) return;
  const { message } = JSON.parse(body.toString("utf8")) as { message?: { text?: string; metadata?: string } };
  if (message) platformCalls.push({ text: message.text ?? "", sendId: message.metadata ?? null });
}
