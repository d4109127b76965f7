import { editName } from "../../domain/events/message-changes.ts";
import type { Edit, Message, MessageRef } from "../../domain/inbox/messages.ts";
import { shortHash } from "../../kernel/bytes.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Glimpse } from "../../stores/inbox/conversations.ts";
import type { EarlyChange } from "../../stores/inbox/pending-changes.ts";
import type { IngestPorts } from "../ports.ts";
import type { AccountHome } from "./resolve-account.ts";

/** Where a change takes place. */
export interface Scene {
  readonly home: AccountHome;
  readonly conversationId: string;
  readonly messageId: string;
  /** When the conversation was last erased, as far as is known. */
  readonly erasedAt: Millis | null;
}

export type Change =
  | {
      readonly unsentAt: Millis;
      /** How often it is known to have been edited. */
      readonly edits: number;
    }
  | { readonly edit: Edit };

type ChangePorts = Pick<IngestPorts, "conversations" | "earlyChanges" | "messageChanges" | "eventBodies">;

/** The bodies of so many edits are looked for when a message is unsent; the platforms allow five. */
const EDITS_FORGOTTEN_MAX = 25;

/**
 * Brings a message to a change, or leaves the change for the message to find when it comes. Safe to repeat, and beside
 * others that do the same or bring the message: either they find what is left here, or this finds their row.
 * @returns whether the message is unsent, by this change or before it
 */
export async function changeMessage(ports: ChangePorts, scene: Scene, change: Change, now: Millis): Promise<boolean> {
  const { home, conversationId, messageId } = scene;
  const known = await ports.messageChanges.find(home.tenant, conversationId, messageId);
  if (known) {
    const message = await changeRow(ports, scene, known, change);
    if (message) return message.unsent === true;
  }
  const early =
    "edit" in change
      ? await ports.earlyChanges.edit(conversationId, messageId, change.edit, now)
      : await ports.earlyChanges.unsend(conversationId, messageId, change.unsentAt, now);
  await ports.earlyChanges.await(conversationId, messageId, now);
  const late = await ports.messageChanges.findAmongNewest(conversationId, messageId);
  const unsent = early.unsentAt !== null;
  if (late) {
    // Whoever brought the row may have settled it, and what was left with it, between the two.
    const settled = (await settleEarly(ports, scene, late)) || unsent;
    if (settled) await forgetEdits(ports, scene, editsOf(change));
    return settled;
  }
  if (!unsent) return false;
  await forgetEdits(ports, scene, Math.max(early.edit?.count ?? 0, editsOf(change)));
  return true;
}

/** Whether a change came before this message. The head knows it for certain; the glimpse also before it was settled. */
export function isAwaited(messageId: string, ...glimpses: readonly Glimpse[]): boolean {
  if (glimpses.every(({ awaited }) => awaited.size === 0)) return false;
  const mark = shortHash(messageId);
  return glimpses.some(({ awaited }) => awaited.has(mark));
}

/** Brings a message, whose row is there, to what waited for it. @returns whether that was its unsending */
export async function settleEarly(ports: ChangePorts, scene: Scene, ref: MessageRef): Promise<boolean> {
  const { conversationId, messageId } = scene;
  const early = await ports.earlyChanges.get(conversationId, messageId);
  const change = early && changeOf(early);
  if (!change) return false;
  const message = await changeRow(ports, scene, ref, change);
  await ports.earlyChanges.settle(conversationId, messageId);
  return message?.unsent === true;
}

function changeOf({ unsentAt, edit }: EarlyChange): Change | null {
  if (unsentAt !== null) return { unsentAt, edits: edit?.count ?? 0 };
  return edit && { edit };
}

/** @returns the message as it stands; null when it is gone */
async function changeRow(ports: ChangePorts, scene: Scene, ref: MessageRef, change: Change): Promise<Message | null> {
  const { tenant } = scene.home;
  const message =
    "edit" in change
      ? await ports.messageChanges.edit(tenant, ref, change.edit)
      : await ports.messageChanges.unsend(tenant, ref, change.unsentAt);
  if (!message) return null;
  await showChange(ports, scene, message);
  if (message.unsent) await forgetEdits(ports, scene, Math.max(message.edit?.count ?? 0, editsOf(change)));
  return message;
}

/** Whoever brought the row may not have come to the head yet: then the head learns of the message as it is now. */
async function showChange(ports: ChangePorts, { home, erasedAt }: Scene, message: Message): Promise<void> {
  if (message.scope === "test" || (erasedAt !== null && message.sentAt <= erasedAt)) return;
  if (await ports.conversations.retell(message)) return;
  await ports.conversations.apply(home.tenant, message, {
    accountHandle: home.handle,
    shards: home.shards,
    erasedAt,
  });
  await ports.conversations.retell(message);
}

/** What an unsent message once said is not sent again, in no version. */
async function forgetEdits(
  ports: ChangePorts,
  { home, conversationId, messageId }: Scene,
  count: number,
): Promise<void> {
  const length = Math.min(count, EDITS_FORGOTTEN_MAX);
  if (length === 0) return;
  const names = Array.from({ length }, (_, i) => editName(messageId, count - i));
  await ports.eventBodies.forget(home.tenant, conversationId, names);
}

function editsOf(change: Change): number {
  return "edit" in change ? change.edit.count : change.edits;
}
