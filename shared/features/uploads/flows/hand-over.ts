import { allDone } from "#base/kernel/parallel.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome, retry } from "#base/queues/record-outcome.ts";
import {
  type AccountCall,
  accountToken,
  applyAccountRefusal,
  republishAccountStatus,
} from "#features/accounts/platform-calls.ts";
import { type Account, accountKey, checkAccount } from "#features/accounts/rules/accounts.ts";
import { readConversationId } from "#features/inbox/rules/messages.ts";
import { accountForPush, requestUploadPush } from "#features/realtime/request-push.ts";
import type { SendRefused, UploadOutcome } from "#platforms/graph/platform.ts";
import type { HandOverPorts } from "../ports.ts";
import type { UploadMessage } from "../queue.ts";
import { type UploadError, type UploadState, uploadError, uploadLeavesBy } from "../rules/uploads.ts";
import type { StoredUpload } from "../store/uploads.ts";

/** How long the platform can fetch the file. */
const LINK_LIFETIME: Millis = 5 * MINUTE;
/** How long after a call that may pass the next one begins. */
const RETRY_DELAY: Millis = 5 * SECOND;
/** An upload fails with this many failed calls. */
const TRIES_MAX = 2;
/** Reserved after the platform's response for storing the outcome. */
const SETTLE_RESERVE: Millis = 10 * SECOND;

/** The time of one invocation. */
export interface HandOverTime {
  readonly now: () => Millis;
  /** When the invocation ends. */
  readonly endsAt: Millis;
}

/** An upload in processing. */
type ProcessingUpload = StoredUpload & { readonly state: Extract<UploadState, { readonly status: "processing" }> };

/** An upload whose account may upload now. */
interface PlannedCall extends ReadUpload {
  readonly account: Account;
  readonly call: AccountCall;
}

/** An upload in processing with its account; null for one that is not connected. */
interface ReadUpload {
  readonly upload: ProcessingUpload;
  readonly account: Account | null;
  /** When the account was read. */
  readonly readAt: Millis;
}

/**
 * Hands a checked file over to its platform, which fetches the copy, and deletes the copy. A call without an answer, or
 * with a refusal that may pass in time, is made again once: an upload made twice only makes an unused id. Safe to
 * repeat and to interrupt at each call: one conditional write decides which id the upload has, and the copy is deleted
 * after it. `repeated`: a run before this one may have died after that write and before it requested the push of the
 * upload. Throws on a fault of AWS; the record comes again, until the time for the hand-over has passed.
 */
export async function handOverUpload(
  ports: HandOverPorts,
  { tenant, uploadId }: UploadMessage,
  { repeated = false, ...time }: HandOverTime & { readonly repeated?: boolean },
): Promise<RecordOutcome> {
  const upload = await getUpload(ports, uploadId);
  if (upload?.tenant !== tenant) return drop("gone");
  if (!isProcessing(upload)) return completeEnd(ports, { upload, repeated }, time.now());
  const plan = await planCall(ports, upload, time.now());
  return "error" in plan ? failUpload(ports, plan, plan.error, time) : callPlatform(ports, plan, time);
}

/**
 * The upload. At half the price, what is in processing may have ended a moment ago: then another call makes an id that
 * no one uses, because the write that completes the upload is refused. Any other state is read again, consistently.
 */
async function getUpload({ uploads }: HandOverPorts, uploadId: string): Promise<StoredUpload | null> {
  const upload = await uploads.get(uploadId, { consistent: false });
  return upload && isProcessing(upload) ? upload : uploads.get(uploadId);
}

function isProcessing(upload: StoredUpload): upload is ProcessingUpload {
  return upload.state.status === "processing";
}

/**
 * Completes what a run before this one may have left undone: it may have died before it published the account's status or
 * deleted the copy, and a reader has then stored the end of the upload.
 */
async function completeEnd(
  ports: HandOverPorts,
  { upload, repeated }: { readonly upload: StoredUpload; readonly repeated: boolean },
  now: Millis,
): Promise<RecordOutcome> {
  const { id, tenant, conversationId, state } = upload;
  const ref = readConversationId(conversationId);
  const isEndByTime = state.status === "failed" && state.error.code === "internal_error" && state.processingAt !== null;
  const account = ref && (isEndByTime || repeated) ? await ports.accounts.get(tenant, ref.account) : null;
  if (account && isEndByTime && state.processingAt !== null)
    await republishAccountStatus(ports, { tenant, account, id, startedAt: state.processingAt, asOf: now }, account);
  if (account && repeated) await requestUploadPush(ports, { tenant, account, id, now });
  return removeCopy(ports, upload);
}

/** Checks whether the upload may be handed over now. @returns `error` if it may not */
async function planCall(
  ports: HandOverPorts,
  upload: ProcessingUpload,
  now: Millis,
): Promise<PlannedCall | (ReadUpload & { readonly error: UploadError })> {
  const { id, tenant, conversationId, state } = upload;
  const ref = readConversationId(conversationId);
  if (!ref) return { upload, account: null, readAt: now, error: uploadError("conversation_not_found") };
  const [head, account] = await allDone([
    // An erasure also removes the upload and its copy.
    ports.conversations.get(tenant, conversationId, now, { consistent: false }),
    ports.accounts.get(tenant, ref.account),
  ]);
  const call = { tenant, account: ref.account, id, startedAt: state.processingAt, asOf: now };
  if (account) await republishAccountStatus(ports, call, account);
  const read = { upload, readAt: now };
  if (now >= uploadLeavesBy(state.processingAt)) return { ...read, account, error: uploadError("internal_error") };
  if (!head || !account) return { ...read, account, error: uploadError("conversation_not_found") };
  const refusal = checkAccount(account, now);
  return refusal
    ? { ...read, account, error: uploadError(refusal.refused, account.status) }
    : { ...read, account, call };
}

async function callPlatform(ports: HandOverPorts, plan: PlannedCall, time: HandOverTime): Promise<RecordOutcome> {
  const { upload, account } = plan;
  const { scope, state, type } = upload;
  const [token, platform, url] = await allDone([
    scope === "test" ? "" : accountToken(ports.vault, upload.tenant, account),
    ports.platformFor(account, scope),
    ports.uploadLinks.readUrl(state.copyKey, LINK_LIFETIME),
  ]);
  // The platform's client checks the clock again.
  const leavesBy = uploadLeavesBy(state.processingAt);
  const outcome: UploadOutcome =
    time.now() >= leavesBy
      ? { kind: "late" }
      : await platform.upload(account, token, { url, type, leavesBy, endsBy: time.endsAt - SETTLE_RESERVE });
  ports.log({
    event: "upload.attempted",
    outcome: outcome.kind === "refused" ? outcome.class : outcome.kind,
    platform: account.platform,
    code: outcome.kind === "refused" ? outcome.code : null,
  });
  switch (outcome.kind) {
    case "accepted":
      return completeUpload(ports, plan, outcome.attachmentId, time);
    case "refused":
      return takeRefusal(ports, plan, outcome, time);
    case "unknown":
      return tryAgain(
        ports,
        plan,
        { error: uploadError("upload_unanswered", outcome.detail), after: RETRY_DELAY },
        time,
      );
    case "late":
      return time.now() >= leavesBy ? failUpload(ports, plan, uploadError("internal_error"), time) : retry("late");
  }
}

async function completeUpload(
  ports: HandOverPorts,
  plan: PlannedCall,
  attachmentId: string,
  time: HandOverTime,
): Promise<RecordOutcome> {
  const { upload } = plan;
  const { id, tenant, scope } = upload;
  // The account may have been disconnected during the call.
  const account = await ports.accounts.get(tenant, plan.account);
  if (!account) return failUpload(ports, plan, uploadError("conversation_not_found"), time);
  // Before anybody can read the id.
  await ports.attachmentOwners.put(tenant, {
    attachmentId,
    accountKey: accountKey(account),
    scope,
    uploadedAt: time.now(),
  });
  const completed = await ports.uploads.complete(id, attachmentId, time.now());
  // The time for the hand-over has passed during the call.
  if (completed && isProcessing(completed)) return failUpload(ports, plan, uploadError("internal_error"), time);
  await requestUploadPush(ports, { tenant, account, id, now: time.now() });
  return removeCopy(ports, upload);
}

async function takeRefusal(
  ports: HandOverPorts,
  plan: PlannedCall,
  refusal: SendRefused,
  time: HandOverTime,
): Promise<RecordOutcome> {
  const { upload, call } = plan;
  const error = uploadError("upload_refused", refusal.detail);
  if (refusal.transient) return tryAgain(ports, plan, { error, after: RETRY_DELAY }, time);
  // Before the upload is settled, so that a repetition applies them.
  await applyAccountRefusal(ports, call, { ...refusal, at: time.now() });
  const { coolDownMs } = refusal;
  const canWait = coolDownMs !== null && time.now() + coolDownMs < uploadLeavesBy(upload.state.processingAt);
  return canWait ? tryAgain(ports, plan, { error, after: coolDownMs }, time) : failUpload(ports, plan, error, time);
}

/** Counts a failed call, so that a run after this time makes another one. Fails the upload if this was the last one. */
async function tryAgain(
  ports: HandOverPorts,
  plan: PlannedCall,
  { error, after }: { readonly error: UploadError; readonly after: Millis },
  time: HandOverTime,
): Promise<RecordOutcome> {
  const { upload } = plan;
  const { id, state } = upload;
  if (state.tries + 1 >= TRIES_MAX) return failUpload(ports, plan, error, time);
  const counted = await ports.uploads.countTry(id, state.tries);
  return counted && isProcessing(counted) ? retry("platform", after) : removeCopy(ports, upload);
}

/** Ends the upload with an error, and deletes its copy. */
async function failUpload(
  ports: HandOverPorts,
  { upload, account, readAt }: ReadUpload,
  error: UploadError,
  time: HandOverTime,
): Promise<RecordOutcome> {
  const now = time.now();
  const { id, tenant } = upload;
  const failed = await ports.uploads.fail(id, { error, from: "processing", now });
  if (failed && isProcessing(failed)) await ports.uploads.lapse(id, uploadError("internal_error"), now);
  const current = account && (await accountForPush(ports, tenant, { account, readAt }, now));
  if (current) await requestUploadPush(ports, { tenant, account: current, id, now });
  return removeCopy(ports, upload);
}

/** Deletes the checked copy of a settled upload, or of one that is gone. */
async function removeCopy(ports: HandOverPorts, { state }: StoredUpload): Promise<RecordOutcome> {
  if (state.status === "waiting") return drop("stale");
  if (state.copyKey) await ports.uploadFiles.remove(state.copyKey);
  return done;
}
