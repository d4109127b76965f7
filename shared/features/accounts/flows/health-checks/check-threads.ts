import { type Millis, SECOND } from "#base/kernel/time.ts";
import { conversationId, HISTORY_AGE_MIN } from "#features/inbox/rules/messages.ts";
import type { Thread } from "#platforms/graph/account-platform.ts";
import type { AccountCheckPorts } from "../../ports.ts";
import { accountKey } from "../../rules/accounts.ts";
import type { AccountCheck } from "../../store/account-checks.ts";
import { backfillStart, queueBackfill } from "../backfill/queue-backfill.ts";
import { lastingRefusal, type Visit } from "./visit.ts";

type ThreadPorts = Pick<AccountCheckPorts, "accounts" | "accountChecks" | "accountWork" | "conversations" | "log">;

const THREADS_MAX = 50;
/** The platform names the time of a thread in seconds. */
const PRECISION: Millis = SECOND;

/**
 * Compares the newest threads of an account with its conversations, and has the messages fetched that no webhook brought:
 * platforms are reported to send none for some threads, although the subscription is complete. Threads that have not
 * moved since the last check are not compared, and newer ones than the history shows reliably are left to the next check.
 * @returns `refused`: nothing was compared, and no check can; `unanswered`: the platform did not answer
 */
export async function checkThreads(
  ports: ThreadPorts,
  visit: Visit,
  check: AccountCheck | null,
): Promise<"compared" | "refused" | "unanswered"> {
  const { tenant, checked, platform, token, now } = visit;
  const { account } = checked;
  const answer = await platform.listThreads(account, token, { after: null, limit: THREADS_MAX });
  if (answer.kind !== "listed") {
    const refused = lastingRefusal(answer);
    if (!refused) return "unanswered";
    const { code, subcode } = refused;
    ports.log({ event: "threads.refused", tenant, account: accountKey(account), code, subcode });
    return "refused";
  }
  const since = backfillStart({ account, check, now });
  const moved = answer.threads.filter(({ updatedAt }) => updatedAt > since && updatedAt <= now - HISTORY_AGE_MIN);
  const missing = await countAhead(ports, visit, moved);
  if (missing === 0) return "compared";
  ports.log({ event: "threads.ahead", tenant, account: accountKey(account), threads: missing });
  const { platform: name, externalId } = account;
  await queueBackfill(ports, { tenant, account: { platform: name, externalId }, isCertain: true, now });
  return "compared";
}

/** How many threads are newer than what is stored of them. A thread whose person the platform does not name is none. */
async function countAhead(
  { conversations }: Pick<ThreadPorts, "conversations">,
  { tenant, checked: { account } }: Visit,
  threads: readonly Thread[],
): Promise<number> {
  const ids = ({ participantIds }: Thread) =>
    participantIds.map((participantId) => conversationId({ tenant, account, participantId }));
  const snapshots = await conversations.snapshots(threads.flatMap(ids));
  const isStored = (thread: Thread) =>
    ids(thread).some((id) => {
      const { lastMessageAt = null, erasedAt = null } = snapshots.get(id) ?? {};
      return Math.max(lastMessageAt ?? 0, erasedAt ?? 0) + PRECISION > thread.updatedAt;
    });
  return threads.filter((thread) => thread.participantIds.length > 0 && !isStored(thread)).length;
}
