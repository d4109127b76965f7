import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { openFiles } from "#base/aws/files.ts";
import { renderEvent } from "#base/events/events.ts";
import { deriveUlid } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { Refusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { type ErasureResult, eraseConversation } from "#features/erasure/flows/erase.ts";
import { relatedKeys, relatedRefKey } from "#features/erasure/store/items.ts";
import type { Attachment, Message, MessageContext, MessageRef } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageChangeStore } from "#features/inbox/store/message-changes.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import { pendingChangeStore } from "#features/inbox/store/pending-changes.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import { conversationBudgetKey } from "#features/sending/store/items.ts";
import { dueSendStore, sendRecordStore } from "#features/sending/store/send-records.ts";
import { COPY_PREFIX, copyKey, POSTED_PREFIX, postedKey, uploadIdFromUlid } from "#features/uploads/rules/uploads.ts";
import { uploadAttributes as Upload } from "#features/uploads/store/attributes.ts";
import { endpointKey } from "#features/webhooks/store/items.ts";
import { eraseWorker } from "../../../functions/erase/worker.ts";
import { UPLOAD_BUCKET } from "../host/emulated-services.ts";
import { writeItem } from "../stores/items.ts";
import { PERSON, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../stores/samples.ts";
import { invokeWorker, queueDepth } from "./queue-worker.ts";
import type { TestEnv, TestQueues } from "./test-env.ts";

/** A text that no row of a tenant contains except those to erase. */
export function canaryFor(person: string): string {
  return `canary-of-${person}`;
}

export type Row = Key & Readonly<Record<string, unknown>>;

export const tenantCaller = (tenant: TenantId, scope: "live" | "test" = "live"): Caller => ({
  kind: "tenant_key",
  keyId: "k1",
  tenant,
  scope,
});

/** A person's conversation, and the number of its rows by kind. */
export interface DataSubject {
  readonly tenant: TenantId;
  readonly conversation: string;
  readonly person: string;
  readonly counts: ErasureResult["removed"];
}

/** Stores an endpoint's row. @returns its ID */
export async function putEndpointRow(
  testEnv: TestEnv,
  tenant: TenantId,
  name: string,
  status = "active",
): Promise<string> {
  const id = deriveUlid(testEnv.now(), `${tenant} ${name}`);
  const Item = { ...endpointKey(tenant, id), u: "http://127.0.0.1:9/", ev: [], st: status, sp: "", ca: 0, ua: 0 };
  await writeItem(testEnv.table, Item);
  return id;
}

/**
 * Creates a conversation with rows of every kind, all in the past, and deliveries at the tenant's endpoints.
 * @param options.files whether the files of its uploads are stored
 */
export async function seedDataSubject(
  testEnv: TestEnv,
  tenant: TenantId,
  endpointIds: readonly string[],
  { person = PERSON, messages = 3, files = false }: { person?: string; messages?: number; files?: boolean } = {},
): Promise<DataSubject> {
  const { table } = testEnv;
  const now = testEnv.now();
  const conversation = sampleConversationId(tenant, person);
  const canary = canaryFor(person);
  const participant = { id: person, handle: canary, username: canary, name: `${canary} name` };
  const attachments: Attachment[] = [
    {
      type: "location",
      url: `https://cdn.example/${canary}`,
      title: canary,
      coordinates: { lat: 55.6761, long: 12.5683 },
    },
  ];
  const context: MessageContext = {
    repliedStory: { id: canary, url: `https://cdn.example/${canary}` },
    quickReply: { payload: canary },
    postback: { payload: canary },
    referral: { ref: canary, source: canary, type: canary, adId: canary },
  };
  const draft = (id: string, rest: Partial<Message>) =>
    sampleMessage(tenant, {
      id: `${person} ${id}`,
      participant,
      text: `${canary} ${id}`,
      attachments,
      context,
      ...rest,
    });
  const expiresAt = timeToLive(now + RETENTION);
  const put = (item: object) => writeItem(table, { ...item, x: expiresAt });
  const deliver = (eventUlid: string, source: MessageRef | null) =>
    Promise.all(
      endpointIds.map((endpointId, index) =>
        deliveryStore(table).recordFirst(
          tenant,
          { endpointId, eventUlid, eventType: "message.received", source },
          {
            verdict: index === 0 ? { status: "delivered" } : { status: "retrying", nextRetryAt: now + MINUTE },
            outcome: { kind: "answered", status: index === 0 ? 200 : 503, retryAfter: null, durationMs: 1 },
            settledAt: now,
          },
        ),
      ),
    );
  const deliveries: Promise<unknown>[] = [];
  const reaction = { by: "participant", at: now - 100, content: { reaction: canary, emoji: canary } } as const;

  for (let i = 0; i < messages; i++) {
    const message = draft(`said ${i}`, { sentAt: now - 1_000 - i });
    const record = await messageStore(table).record(tenant, message, now);
    await messageChangeStore(table).react(tenant, record.ref, { ...reaction, by: i % 2 ? "account" : "participant" });
    await conversationStore(table).advanceHead(tenant, message, SAMPLE_INBOX);
    deliveries.push(deliver(message.eventUlid, record.ref));
  }
  const test = draft("test", { sentAt: now - 500, scope: "test", direction: "outbound" });
  const sent = draft("sent", { sentAt: now - 400, direction: "outbound" });
  const echo = draft("echo", { sentAt: now - 300, direction: "echo" });
  for (const message of [test, sent, echo]) {
    const record = await outboundMessageStore(table).record(tenant, message, now);
    if (message !== test) await conversationStore(table).advanceHead(tenant, message, SAMPLE_INBOX);
    deliveries.push(deliver(message.eventUlid, record.ref));
  }
  const send = {
    content: "",
    via: "api_in_window",
    actorId: null,
    holdId: null,
    replyTo: null,
    scope: "live",
  } as const;
  for (const at of [now - 400, now - 200]) {
    const sendId = deriveUlid(at, `${conversation} ${at}`);
    await sendRecordStore(table).start(conversation, { ...send, id: sendId }, at);
    const content = { kind: "text", text: canary } as const;
    await dueSendStore(table).put({ conversationId: conversation, sendId, startedAt: at, content });
  }
  for (const changeKind of ["edit", "reaction"]) {
    const candidateUlid = deriveUlid(now - 100, `${conversation} ${changeKind}`);
    const ulid = await eventBodyStore(table).recordRef(
      conversation,
      { changeName: changeKind, eventUlid: candidateUlid, changedAt: now - 100 },
      now - 100,
    );
    await eventBodyStore(table).save(tenant, renderEvent(tenant, ulid, "message.edited", { text: canary }));
    deliveries.push(deliver(ulid, null));
  }
  await pendingChangeStore(table).edit(
    conversation,
    `${person} early`,
    { text: canary, count: 1, at: now - 100 },
    now - 100,
  );
  await pendingChangeStore(table).react(conversation, `${person} early`, reaction, now - 100);
  await pendingChangeStore(table).markPending(conversation, `${person} early`, now - 100);
  const holdId = deriveUlid(now, `${conversation} h1`);
  await put({ ...relatedKeys.hold(holdId), text: canary });
  await put({ ...relatedRefKey(conversation, "hold", holdId), at: now - 50 });
  // The row of the third one has expired.
  for (const status of ["waiting", "processing", "gone"]) {
    const id = uploadIdFromUlid(deriveUlid(now, `${conversation} ${status}`));
    const copy = copyKey({ id, random: deriveUlid(now, id), name: `${id}.png` });
    const copyOf = status === "processing" ? { [Upload.copyKey]: copy } : {};
    const item = { ...relatedKeys.upload(id), [Upload.filename]: canary, [Upload.conversationId]: conversation };
    if (status !== "gone") await put({ ...item, [Upload.status]: status, ...copyOf });
    await put({ ...relatedRefKey(conversation, "upload", id), at: now - 50 });
    if (!files || status === "gone") continue;
    const bucket = openFiles(UPLOAD_BUCKET, testEnv.s3);
    for (const key of [postedKey(id), ...Object.values(copyOf)]) await bucket.put(key, Buffer.from(canary));
  }
  await put({ ...conversationBudgetKey(conversation, "live"), at: now - 400 });
  const picture = { url: `https://cdn.example/${canary}`, expiresAt: now + MINUTE };
  const profile = { state: "complete", handle: canary, username: canary, name: `${canary} name`, picture } as const;
  await profileStore(table).save(conversation, profile, now - 10);
  await Promise.all(deliveries);
  const counts = {
    conversation: 1,
    profile: 1,
    messages: messages + 3,
    // Three IDs, two events, one pending change.
    markers: 6,
    deliveries: endpointIds.length * (messages + 3 + 2),
    sendRecords: 2,
    uploads: 2,
    holds: 1,
  };
  return { tenant, conversation, person, counts };
}

/** Every row of the table. */
export async function allRows(testEnv: TestEnv): Promise<Row[]> {
  const rows: Row[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const answer = await testEnv.table.client.send(
      new ScanCommand({ TableName: testEnv.table.name, ConsistentRead: true, ExclusiveStartKey }),
    );
    rows.push(...((answer.Items ?? []) as Row[]));
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return rows;
}

/** A tenant's rows that contain a person's ID or messages. */
export async function rowsMentioning(
  testEnv: TestEnv,
  { tenant, person }: Pick<DataSubject, "tenant" | "person">,
): Promise<Row[]> {
  const rows = (await allRows(testEnv)).filter((row) => JSON.stringify(row).includes(tenant));
  return rows.filter((row) => JSON.stringify(row).includes(person));
}

/** The keys of all files of uploads. */
export async function uploadedFiles({ uploadFiles }: Pick<TestEnv, "uploadFiles">): Promise<string[]> {
  const pages = await Promise.all([POSTED_PREFIX, COPY_PREFIX].map((prefix) => uploadFiles.list(prefix, null)));
  return pages.flatMap(({ keys }) => keys);
}

/** Calls the route's flow once, as a new process. @param pages the number of steps before its time is up */
export function runErasure(
  testEnv: TestEnv,
  queues: Pick<TestQueues, "erasures">,
  { tenant, conversation }: Pick<DataSubject, "tenant" | "conversation">,
  pages = Number.POSITIVE_INFINITY,
): Promise<ErasureResult | Refusal> {
  const caller = tenantCaller(tenant);
  const request = {
    tenant,
    conversationId: conversation,
    author: { caller, ip: "203.0.113.7" },
    now: testEnv.now(),
    time: testEnv,
  };
  let steps = 0;
  return eraseConversation(testEnv.erasePorts(queues), request, () => steps++ < pages);
}

/** Runs the erase worker until no message is left, advancing the clock. @returns the number of rounds */
export async function drainErasures(
  testEnv: TestEnv,
  queues: Pick<TestQueues, "erasures">,
  step: Millis = MINUTE,
): Promise<number> {
  for (let round = 0; round < 60; round++) {
    if ((await queueDepth(testEnv.eventSource, queues.erasures)) === 0) return round;
    testEnv.advance(step);
    await invokeWorker(testEnv.eventSource, queues.erasures, eraseWorker(testEnv.erasePorts(queues), testEnv.now));
  }
  throw new Error("The erasure did not complete.");
}
