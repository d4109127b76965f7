import { setTimeout as sleep } from "node:timers/promises";
import { parseTenant } from "#base/kernel/tenant.ts";
import { SECOND } from "#base/kernel/time.ts";
import { type Connection, parseAccountKey } from "#features/accounts/rules/accounts.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import type { LocalJson } from "../../local/stack/local-json.ts";
import type { Arguments, CommandOutput } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { callControlRoute, callLocalApi, requireData } from "./local-api.ts";
import { localStack } from "./local-stack.ts";

/** The stack stores a message within a fraction of a second. */
const STORED_WITHIN = 10 * SECOND;
const POLL_INTERVAL = 50;

/**
 * Writes a message as a person of the simulator and waits until it is in the inbox.
 * @throws CliError when there is no simulator or account, or when the message does not arrive
 */
export async function writeMessage({ positionals, account, person }: Arguments): Promise<CommandOutput> {
  const local = localStack().local as unknown as LocalJson;
  if (!local.simulator_url)
    throw new CliError("The local stack has no simulator. Start it without PARLEY_PLATFORM_URLS.");
  const listedAccount = await findAccount(account);
  const ref = parseAccountKey(listedAccount.account_key);
  const connection = accountConnection(listedAccount);
  const tenant = parseTenant(local.tenant ?? "");
  if (!ref || !tenant) throw new CliError("The local stack has no tenant. Start it without PARLEY_SEED.");
  const text = positionals.slice(1).join(" ") || "Hi";
  const message = { account: ref.externalId, connection, text, ...(person ? { person } : {}) };
  const response = await callControlRoute(`${local.simulator_url}/_sim/person-sends`, message);
  const result = (await response.json()) as { mid?: string; person?: string; problem?: string; error?: string };
  const { mid, person: participantId, problem = result.error } = result;
  if (!mid || !participantId || problem) throw new CliError(`The simulator did not deliver the message: ${problem}.`);
  await waitUntilStored(mid);
  return { conversation_id: conversationId({ tenant, account: ref, participantId }), message_id: mid };
}

interface ListedAccount {
  readonly account_key: string;
  readonly platform: string;
  readonly handle: string | null;
  readonly page_id: string | null;
}

/** An account that is connected now, also by a login. */
export async function findAccount(handle: string | undefined): Promise<ListedAccount> {
  const response = await callLocalApi<{ accounts: ListedAccount[] }>({ method: "GET", path: "/v1/accounts" });
  const { accounts } = requireData(response, "to list the accounts");
  const account = accounts.find((one) => handle === undefined || one.handle === handle.replace(/^@/, ""));
  if (account) return account;
  if (accounts.length === 0)
    throw new CliError("The tenant has no accounts. Connect one on the page that npm run local prints as Accounts.");
  throw new CliError(`Unknown account ${handle}. Use one of ${accounts.map((one) => one.handle).join(", ")}.`);
}

/** The simulator may have two connections of one account. */
export function accountConnection({ platform, page_id }: ListedAccount): Connection {
  if (platform === "messenger") return "messenger";
  return page_id === null ? "instagram_login" : "instagram_page";
}

async function waitUntilStored(mid: string): Promise<void> {
  const deadline = Date.now() + STORED_WITHIN;
  while (Date.now() < deadline) {
    const response = await callLocalApi({ method: "GET", path: `/v1/messages/${encodeURIComponent(mid)}` });
    if (response.data) return;
    await sleep(POLL_INTERVAL);
  }
  throw new CliError("The message is not in the inbox yet. See functions.log in the data folder.");
}

/** @throws CliError for an empty inbox and when the stack refuses the reply */
export async function reply({ positionals }: Arguments): Promise<CommandOutput> {
  const text = requireText(positionals);
  const conversation = await newestConversation();
  const body = { conversation_id: conversation.id, text };
  const response = await callLocalApi<{ platform_message_id: string }>({
    method: "POST",
    path: "/v1/messages/reply",
    body,
  });
  const { platform_message_id } = requireData(
    response,
    "the reply",
    conversation.can_send_as_human_agent ? 'Hold a message instead: npm run admin -- hold "Hello".' : undefined,
  );
  return { conversation_id: conversation.id, message_id: platform_message_id };
}

interface HoldData {
  readonly hold: { readonly id: string; readonly expires_at: string; readonly verify_url: string };
}

/** @throws CliError for an empty inbox and when the stack refuses the message */
export async function hold({ positionals, actor }: Arguments): Promise<CommandOutput> {
  const text = requireText(positionals);
  const conversation = await newestConversation();
  const body = { conversation_id: conversation.id, text, actor_id: actor ?? process.env.USER ?? "cli" };
  const response = await callLocalApi<HoldData>({ method: "POST", path: "/v1/messages/human-agent", body });
  const data = requireData(
    response,
    "the message",
    conversation.can_reply ? "Advance the clock of the stack: npm run admin -- clock 25h." : undefined,
  );
  const { id, expires_at, verify_url } = data.hold;
  return { conversation_id: conversation.id, hold_id: id, expires_at, verify_url };
}

function requireText(positionals: readonly string[]): string {
  const [command, ...words] = positionals;
  if (words.length > 0) return words.join(" ");
  throw new CliError(`Missing text. Add it in quotes: npm run admin -- ${command} "Hello".`);
}

interface ListedConversation {
  readonly id: string;
  readonly can_reply: boolean;
  readonly can_send_as_human_agent: boolean;
}

async function newestConversation(): Promise<ListedConversation> {
  const path = "/v1/conversations?limit=1";
  const response = await callLocalApi<{ conversations: ListedConversation[] }>({ method: "GET", path });
  const [conversation] = requireData(response, "the request").conversations;
  if (conversation) return conversation;
  throw new CliError('The inbox is empty. Write a message as a person first: npm run admin -- message "Hi".');
}
