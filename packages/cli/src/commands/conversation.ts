import { setTimeout as sleep } from "node:timers/promises";
import { ParleyError } from "../../../client/src/errors.ts";
import type { Conversation } from "../../../client/src/resources/inbox.ts";
import type { Account } from "../../../client/src/resources/workspace.ts";
import { CliError } from "../cli-error.ts";
import { callControlRoute } from "../target/control-routes.ts";
import { callApi, requireLocal, type Target } from "../target/target.ts";

/** The stack stores a message within a fraction of a second. */
const STORED_WITHIN_MS = 10_000;
const POLL_INTERVAL_MS = 50;

/** The arguments of a command that writes, and how its user calls the program, such as `npx parley`. */
export interface WriteArguments {
  readonly positionals: readonly string[];
  readonly account?: string | undefined;
  readonly person?: string | undefined;
  readonly actor?: string | undefined;
  readonly program: string;
}

/**
 * Writes a message as a person of the simulator and waits until it is in the inbox.
 * @throws CliError when there is no simulator or account, or when the message does not arrive
 */
export async function writeMessage(target: Target, { positionals, account, person }: WriteArguments) {
  const simulatorUrl = requireSimulator(target, "message");
  const recipient = await findAccount(target, account);
  const text = positionals.slice(1).join(" ") || "Hi";
  const message = {
    account: recipient.external_id,
    connection: recipient.connection,
    text,
    ...(person ? { person } : {}),
  };
  const response = await callControlRoute(`${simulatorUrl}/_sim/person-sends`, message);
  const result = (await response.json()) as { mid?: string; person?: string; problem?: string; error?: string };
  const { mid, problem = result.error } = result;
  if (!mid || problem) throw new CliError(`The simulator did not deliver the message: ${problem}.`);
  return { conversation_id: await waitUntilStored(target, mid), message_id: mid };
}

/** The address of the simulator. @throws CliError for a deployment, and for a stack without a simulator */
export function requireSimulator(target: Target, command: string): string {
  const { simulator_url: simulatorUrl } = requireLocal(target, command);
  if (!simulatorUrl) throw new CliError("The local stack has no simulator. Start it without PARLEY_PLATFORM_URLS.");
  return simulatorUrl;
}

/** An account that is connected now, also by a login. */
export async function findAccount(target: Target, handle: string | undefined): Promise<Account> {
  const { accounts } = await callApi(target, target.api.accounts.list(), "to list the accounts");
  const account = accounts.find((one) => handle === undefined || one.handle === handle.replace(/^@/, ""));
  if (account) return account;
  if (accounts.length === 0)
    throw new CliError("The tenant has no accounts. Connect one in the console, on its page Accounts.");
  throw new CliError(`Unknown account ${handle}. Use one of ${accounts.map((one) => one.handle).join(", ")}.`);
}

/** @returns the id of the conversation */
async function waitUntilStored(target: Target, mid: string): Promise<string> {
  const deadline = Date.now() + STORED_WITHIN_MS;
  while (Date.now() < deadline) {
    const stored = await target.api.messages.get(mid).catch((error: unknown) => {
      if (error instanceof ParleyError) return null;
      throw error;
    });
    if (stored !== null) return stored.message.conversation_id;
    await sleep(POLL_INTERVAL_MS);
  }
  throw new CliError("The message is not in the inbox yet. See functions.log in the data folder.");
}

/** @throws CliError for an empty inbox and when the API refuses the reply */
export async function reply(target: Target, { positionals, program }: WriteArguments) {
  const text = requireText(positionals, program);
  const conversation = await newestConversation(target, program);
  const { platform_message_id } = await callApi(
    target,
    target.api.messages.reply({ conversation_id: conversation.id, text }),
    "the reply",
    conversation.can_send_as_human_agent ? `Hold a message instead: ${program} hold "Hello".` : undefined,
  );
  return { conversation_id: conversation.id, message_id: platform_message_id };
}

/** @throws CliError for an empty inbox and when the API refuses the message */
export async function hold(target: Target, { positionals, actor, program }: WriteArguments) {
  const text = requireText(positionals, program);
  const conversation = await newestConversation(target, program);
  const body = { conversation_id: conversation.id, text, actor_id: actor ?? process.env.USER ?? "cli" };
  const advice =
    target.local && conversation.can_reply ? `Advance the clock of the stack: ${program} clock 25h.` : undefined;
  const data = await callApi(target, target.api.messages.sendAsHumanAgent(body), "the message", advice);
  const { id, expires_at, verify_url } = data.hold;
  return { conversation_id: conversation.id, hold_id: id, expires_at, verify_url: verify_url ?? null };
}

function requireText(positionals: readonly string[], program: string): string {
  const [command, ...words] = positionals;
  if (words.length > 0) return words.join(" ");
  throw new CliError(`Missing text. Add it in quotes: ${program} ${command} "Hello".`);
}

async function newestConversation(target: Target, program: string): Promise<Conversation> {
  const { conversations } = await callApi(target, target.api.conversations.list({ limit: 1 }), "the request");
  const [conversation] = conversations;
  if (conversation) return conversation;
  const advice = target.local ? ` Write a message as a person first: ${program} message "Hi".` : "";
  throw new CliError(`The inbox is empty.${advice}`);
}
