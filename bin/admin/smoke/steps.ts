import { setTimeout } from "node:timers/promises";
import type { PlatformSecrets } from "#base/aws/secrets.ts";
import { hmacSha256 } from "#base/kernel/bytes.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { isRefusal, refusalMessage } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { createKey } from "#features/access/flows/keys.ts";
import { CLI } from "#features/access/rules/callers.ts";
import { linkAccount } from "#features/accounts/flows/connect.ts";
import { SMOKE_ACCOUNT_PREFIX } from "#features/accounts/rules/accounts.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import type { smokePorts } from "../../../functions/admin/smoke-ports.ts";
import { CliError } from "../cli-error.ts";
import { callApi, openStream, requireOk, type Stream } from "./connection.ts";

export interface SmokeContext {
  readonly ports: ReturnType<typeof smokePorts>;
  readonly baseUrl: string;
  readonly tenant: TenantId;
  readonly now: () => Millis;
}

/** What the steps make for those after them. */
interface Made {
  liveKey: string;
  testKey: string;
  stream: Stream | null;
}

export interface Step {
  readonly name: string;
  run(): Promise<void>;
}

/** The platform whose webhooks are signed: the first whose secret is set. */
interface Signer {
  readonly platform: "messenger" | "instagram";
  readonly object: "page" | "instagram";
  readonly connection: "messenger" | "instagram_login";
  readonly secret: string;
}

const TEXT = "Parley smoke test";
const STORED_WITHIN: Millis = 30 * SECOND;
const POLL_INTERVAL: Millis = SECOND / 5;
const SETTINGS = { author: CLI, label: "smoke" } as const;

/** The steps before anything is stored: what they refuse changes nothing. */
export function firstSteps(context: SmokeContext): Step[] {
  return [
    { name: "address", run: async () => void requireOk(await callApi(`${context.baseUrl}/v1/ping`), "The request") },
    { name: "signature", run: async () => postWebhook(context, await readSigner(context), []) },
  ];
}

/** The steps of the temporary tenant. Each throws a CliError for what the deployment refuses or does not do in time. */
export function tenantSteps(context: SmokeContext): { readonly steps: readonly Step[]; readonly end: () => void } {
  const { ports, baseUrl, tenant, now } = context;
  const made: Made = { liveKey: "", testKey: "", stream: null };
  const externalId = `${SMOKE_ACCOUNT_PREFIX}${newUlid(now())}`;
  const person = newUlid(now());
  const mid = `m_${newUlid(now())}`;
  const toConversation = ({ platform }: Signer) =>
    conversationId({ tenant, account: { platform, externalId }, participantId: person });
  const toUrl = (id: string) => `${baseUrl}/v1/conversations/${encodeURIComponent(id)}`;
  const steps: Step[] = [
    {
      name: "tenant",
      async run() {
        const { platform, connection } = await readSigner(context);
        const settings = { name: "Smoke test", ownerEmail: null, author: CLI } as const;
        if (!(await createTenant(ports.setup, tenant, settings, now()))) {
          throw new CliError(`The slug ${tenant} is taken.`);
        }
        const account = { platform, externalId, connection, handle: "smoke", displayName: "Smoke", pageId: null };
        const link = {
          tenant,
          account,
          token: "none",
          tokenExpiresAt: null,
          authorizedBy: [],
          author: CLI,
        } as const;
        await linkAccount(ports.setup, { ...link, connectionId: newUlid(now()), now: now() });
        made.liveKey = await makeKey(context, "live");
        made.testKey = await makeKey(context, "test");
      },
    },
    {
      name: "socket",
      async run() {
        const answer = await callApi(`${baseUrl}/v1/realtime/ticket`, { method: "POST", key: made.liveKey });
        const { url, ticket } = requireOk(answer, "The ticket") as { readonly url: string; readonly ticket: string };
        made.stream = await openStream(`${url}?ticket=${encodeURIComponent(ticket)}`);
        await made.stream.next("hello", (frame) => frame.includes('"hello"'));
      },
    },
    {
      name: "webhook",
      async run() {
        const sender = { sender: { id: person }, recipient: { id: externalId } };
        const messaging = [{ ...sender, timestamp: now(), message: { mid, text: TEXT } }];
        await postWebhook(context, await readSigner(context), [{ id: externalId, time: now(), messaging }]);
      },
    },
    {
      name: "message",
      async run() {
        const conversation = toConversation(await readSigner(context));
        const url = `${baseUrl}/v1/messages?conversation_id=${encodeURIComponent(conversation)}`;
        for (let waited = 0; ; waited += POLL_INTERVAL) {
          const answer = await callApi(url, { key: made.liveKey });
          if (answer.status === 200 && JSON.stringify(answer.data).includes(TEXT)) return;
          if (answer.status !== 404) requireOk(answer, "Reading the message");
          if (waited >= STORED_WITHIN) {
            throw new CliError(
              `The message is not stored after ${STORED_WITHIN / SECOND} seconds. See the alarms of Ingest.`,
            );
          }
          await setTimeout(POLL_INTERVAL);
        }
      },
    },
    {
      name: "frame",
      async run() {
        await made.stream?.next(
          "message.received",
          (frame) => frame.includes("message.received") && frame.includes(mid),
        );
      },
    },
    {
      name: "reply",
      async run() {
        const conversation_id = toConversation(await readSigner(context));
        const answer = await callApi(`${baseUrl}/v1/messages/reply`, {
          method: "POST",
          key: made.testKey,
          headers: { "content-type": "application/json", "idempotency-key": newUlid(now()) },
          body: JSON.stringify({ conversation_id, text: TEXT }),
        });
        requireOk(answer, "The reply");
      },
    },
    {
      name: "erasure",
      async run() {
        const url = toUrl(toConversation(await readSigner(context)));
        requireOk(await callApi(url, { method: "DELETE", key: made.liveKey }), "The erasure");
        const { status } = await callApi(url, { key: made.liveKey });
        if (status !== 404) throw new CliError(`The erased conversation can still be read (${status}).`);
      },
    },
  ];
  return { steps, end: () => made.stream?.close() };
}

async function makeKey({ ports, tenant, now }: SmokeContext, scope: "live" | "test"): Promise<string> {
  const key = await createKey(ports.setup, tenant, { scope, ...SETTINGS }, now());
  if (isRefusal(key)) throw new CliError(refusalMessage(key));
  return key.secret;
}

async function readSigner({ ports }: SmokeContext): Promise<Signer> {
  const { meta, instagram }: PlatformSecrets = await ports.readSecrets();
  if (meta[0] !== undefined) {
    return { platform: "messenger", object: "page", connection: "messenger", secret: meta[0] };
  }
  if (instagram[0] !== undefined) {
    return { platform: "instagram", object: "instagram", connection: "instagram_login", secret: instagram[0] };
  }
  throw new CliError("Both app secrets are empty. Store them as docs/operate/deploy.md shows.");
}

async function postWebhook(
  { baseUrl }: SmokeContext,
  { platform, object, secret }: Signer,
  entry: readonly object[],
): Promise<void> {
  const body = JSON.stringify({ object, entry });
  const signature = `sha256=${hmacSha256(secret, body).toString("hex")}`;
  const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
  const answer = await callApi(`${baseUrl}/webhooks/${platform}`, { method: "POST", headers, body });
  if (answer.status === 401 || answer.status === 403) {
    throw new CliError(
      `The deployment refuses the signature of the app secret (${answer.problem}). A changed secret applies within five minutes.`,
    );
  }
  requireOk(answer, "The webhook");
}
