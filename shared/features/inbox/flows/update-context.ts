import type { Millis } from "#base/kernel/time.ts";
import type { ConversationErasure } from "#features/erasure/late-writes.ts";
import type { Effects } from "../effects.ts";
import type { ConversationSnapshot } from "../store/conversations.ts";
import type { ResolvedAccount } from "./resolve-account.ts";

/** What the steps of an update share. */
export interface UpdateContext {
  readonly account: ResolvedAccount;
  /** The update's conversation, read just before. */
  readonly snapshot: ConversationSnapshot;
  /** Collects what the update queues and counts. */
  readonly effects: Effects;
  readonly now: Millis;
  /** When the update's webhook arrived. */
  readonly receivedAt?: Millis;
}

/** What the steps of a change of a message share. */
export interface ChangeContext extends Pick<UpdateContext, "account" | "now"> {
  readonly conversationId: string;
  readonly messageId: string;
  readonly erasure: Pick<ConversationErasure, "covers" | "erasedAt" | "wasRemoved">;
}
