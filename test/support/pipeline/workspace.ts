import { createHash } from "node:crypto";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { HOUR, SECOND } from "#base/kernel/time.ts";
import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import { conversationId, parseConversationId } from "#features/inbox/rules/messages.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { createKey } from "../../features/access/flows/support/api-keys.ts";
import { linkTestAccount } from "../../features/accounts/flows/support/link-test-account.ts";
import { PLATFORM_SECRET } from "../host/emulated-services.ts";
import type { Pipeline } from "../pipeline.ts";
import { SAMPLE_INBOX, sampleMessage } from "../stores/samples.ts";
import {
  platformId,
  type SignedWebhook,
  sampleMessageId,
  sampleText,
  signedWebhook,
  type TextTraffic,
} from "./traffic.ts";

export interface WorkspaceOptions {
  /** A slug of 11 characters, so that items of all workspaces have one length. */
  readonly slug: string;
  readonly platform: PlatformName;
  readonly endpoints: number;
}

/** One tenant with a live key, a test key, one account and its webhook endpoints. */
export interface Workspace {
  readonly tenant: TenantId;
  readonly liveKey: string;
  readonly testKey: string;
  readonly endpointIds: readonly string[];
  /** The ID of the conversation with a person. */
  conversationIdFor(person: number): string;
  /** The webhook of a person's next message, or of the account's own message when `echo` has its ID and further members. */
  nextWebhook(person: number, echo?: { readonly messageId: string; readonly context?: object }): SignedWebhook;
  /** The webhook of a person's next message with further members, such as `reply_to`. */
  nextWebhookWith(person: number, context: object): SignedWebhook;
  newMessageId(): string;
}

const AUTHOR = { actor: "cli" };
/** The length of the longer access tokens. */
const TOKEN = "EAAG".padEnd(200, "k");

export async function openWorkspace(pipeline: Pipeline, options: WorkspaceOptions): Promise<Workspace> {
  const { slug, platform, endpoints } = options;
  const { tenantPorts: ports, now } = pipeline;
  const tenant = parseTenant(slug);
  if (!tenant) throw new Error(`${slug} is not a tenant's slug.`);
  const externalId = platformId("178414", createHash("sha256").update(slug).digest().readUIntBE(0, 4));
  const account = { platform, externalId };
  const connection = platform === "instagram" ? "instagram_login" : "messenger";

  await createTenant(ports, tenant, { name: "A workspace", ownerEmail: null, author: AUTHOR }, now());
  const live = await createKey(ports, tenant, { scope: "live", label: "backend", author: AUTHOR }, now());
  const test = await createKey(ports, tenant, { scope: "test", label: "tests", author: AUTHOR }, now());
  // The first use of a key in an hour is recorded. The costs of other requests do not include that.
  for (const { secret } of [live, test]) await pipeline.call(secret, "GET", "/v1/event-types");
  const accountNames = { handle: "a.shoe.shop", displayName: "A shoe shop", pageId: null };
  await linkTestAccount(ports, {
    tenant,
    account: { ...account, connection, ...accountNames },
    token: TOKEN,
    author: AUTHOR,
    now: now(),
  });
  const endpointIds: string[] = [];
  for (let number = 0; number < endpoints; number++) {
    const url = `${pipeline.loopback.origin}/hooks/${slug}/${number}`;
    const created = await pipeline.call<{ endpoint: { id: string } }>(live.secret, "POST", "/v1/webhooks", { url });
    endpointIds.push(created.endpoint.id);
  }

  const personId = (person: number) => platformId("9", person);
  let messages = 0;
  const newMessageId = () => sampleMessageId(platform, externalId, ++messages, now());
  const webhookOf = (person: number, rest: Partial<TextTraffic>) => {
    const ids = { accountId: externalId, personId: personId(person), messageId: rest.messageId ?? newMessageId() };
    return signedWebhook({ platform, ...ids, text: sampleText(messages), at: now(), ...rest }, PLATFORM_SECRET);
  };
  return {
    tenant,
    liveKey: live.secret,
    testKey: test.secret,
    endpointIds,
    conversationIdFor: (person) => conversationId({ tenant, account, participantId: personId(person) }),
    newMessageId,
    nextWebhook: (person, echo) => webhookOf(person, echo ? { ...echo, echo: true } : {}),
    nextWebhookWith: (person, context) => webhookOf(person, { context }),
  };
}

/** Stores the profiles of people to whom the account has written: the events of their messages wait for no lookup. */
export async function introduce(pipeline: Pipeline, workspace: Workspace, people: number): Promise<void> {
  const { stores, now } = pipeline;
  const before = now() - HOUR;
  for (let person = 0; person < people; person++) {
    const id = workspace.conversationIdFor(person);
    const ref = parseConversationId(workspace.tenant, id);
    if (!ref) throw new Error(`${id} is no conversation of ${workspace.tenant}.`);
    const { account, participantId } = ref;
    const participant = { id: participantId, handle: null, username: null, name: null };
    const rest = { conversationId: id, account, participant, direction: "echo", sentAt: before } as const;
    await stores.conversations.advanceHead(
      workspace.tenant,
      sampleMessage(workspace.tenant, { id: `before ${person}`, ...rest }),
      SAMPLE_INBOX,
    );
    const names = { handle: "marianne.lindqvist", username: "marianne.lindqvist", name: "Marianne Lindqvist" };
    await stores.profiles.save(id, { state: "complete", ...names, picture: null }, now());
  }
}

/** Processes one message of each person up to the endpoints, one second later, and fetches new profiles before. */
export async function everyoneWrites(pipeline: Pipeline, workspace: Workspace, people: number): Promise<void> {
  pipeline.advance(SECOND);
  for (let person = 0; person < people; person++) await pipeline.receive(workspace.nextWebhook(person));
  await pipeline.ingest();
  await pipeline.fetchProfiles();
  await pipeline.deliver();
}
