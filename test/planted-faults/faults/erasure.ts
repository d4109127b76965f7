import type { PlantedFault } from "../planted-fault.ts";

const crash = {
  file: "test/features/erasure/flows/crash.test.ts",
  title: "an erasure that crashes (%s) at any call of its request completes and counts each row once",
};

export const erasureFaults: readonly PlantedFault[] = [
  {
    name: "an erasure removes the conversation's rows before what they refer to",
    file: "shared/features/erasure/flows/related-rows.ts",
    search: `  await ports.traces.remove(elsewhere);
  await ports.traces.remove(rows);`,
    replacement: `  await ports.traces.remove(rows);
  await ports.traces.remove(elsewhere);`,
    killedBy: {
      file: "test/features/erasure/flows/passes.test.ts",
      title: "an erasure removes the conversation's rows only after what they refer to is gone",
    },
  },
  {
    name: "a page is removed before it is counted",
    file: "shared/features/erasure/flows/first-pass.ts",
    search: `  const updated = await ports.erasures.countPage(erasure, { ...page, upTo });
  if (updated) await removePage(ports, page);
  return updated;`,
    replacement: `  await removePage(ports, page);
  return ports.erasures.countPage(erasure, { ...page, upTo });`,
    killedBy: {
      file: "test/features/erasure/flows/crash.test.ts",
      title: "an erasure of several pages that crashes after each call in turn counts each row once",
    },
  },
  {
    name: "two runs count one page",
    file: "shared/features/erasure/store/erasures.ts",
    search: `equals(A.phase, "first"), equals(A.countedUpTo, upTo));`,
    replacement: `equals(A.phase, "first"));`,
    killedBy: {
      file: "test/features/erasure/flows/erase.test.ts",
      title: "erasing twice concurrently removes and counts each row once",
    },
  },
  {
    name: "an erasure starts beside the first pass of another",
    file: "shared/features/erasure/store/erasures.ts",
    search: "{ condition: noFirstPassInProgress, member }",
    replacement: '{ condition: anyOf(itemDoesNotExist, isAbsent(A.phase), differs(A.phase, "")), member }',
    killedBy: {
      file: "test/features/erasure/store/erasures.test.ts",
      title: "an erasure does not start during the first pass of another",
    },
  },
  {
    name: "an erasure starts from an outdated head",
    file: "shared/features/erasure/store/erasures.ts",
    search: "put(erasedHead, headIsUnchanged(head))",
    replacement: "put(erasedHead)",
    killedBy: {
      file: "test/features/erasure/store/erasures.test.ts",
      title: "an erasure does not start when the conversation has changed since it was read",
    },
  },
  {
    name: "all tries of a start have one transaction token",
    file: "shared/features/erasure/store/erasures.ts",
    search: "{ token: newUlid(erasure.erasedAt) },\n    );\n    if (result.applied) return",
    replacement: "{ token: erasure.op },\n    );\n    if (result.applied) return",
    killedBy: {
      file: "test/features/erasure/store/erasures.test.ts",
      title: "an erasure that did not start because the conversation changed starts from what is read then",
    },
  },
  {
    name: "the tenant's state records an erasure after its start",
    file: "shared/features/erasure/flows/erase.ts",
    search: `    await ports.tenantStates.recordErasure(tenant, erasedAt);
`,
    replacement: `    if (ops.size > 0) await ports.tenantStates.recordErasure(tenant, erasedAt);
`,
    killedBy: {
      file: "test/features/erasure/flows/crash.test.ts",
      title: "an erasure that dies right after its start is known to workers, and the background completes it",
    },
  },
  {
    name: "an erasure starts without its background message",
    file: "shared/features/erasure/flows/erase.ts",
    search: `      await scheduleBackgroundErasure(ports, { tenant, erasureId, op });
`,
    replacement: "",
    killedBy: {
      file: "test/features/erasure/flows/crash.test.ts",
      title: "an erasure that dies right after its start is known to workers, and the background completes it",
    },
  },
  {
    name: "the background message of an erasure comes while its request can still start it",
    file: "shared/features/erasure/rules/erasures.ts",
    search: "BACKGROUND_DELAY: Millis = 40 * SECOND",
    replacement: "BACKGROUND_DELAY: Millis = 20 * SECOND",
    killedBy: {
      file: "test/features/erasure/flows/late-starts.test.ts",
      title: "an erasure that starts 25 seconds after its message, by a process that then dies, is continued",
    },
  },
  {
    name: "a start that comes after its background message is not refused",
    file: "shared/features/erasure/flows/background.ts",
    search: "return (await erasures.refuseStart(erasureId, op, now)) ? erasure : erasures.get(tenant, erasureId);",
    replacement: "return erasure;",
    killedBy: {
      file: "test/features/erasure/flows/late-starts.test.ts",
      title: "an erasure of a process that was frozen for an hour and then dies has not started (%s)",
    },
  },
  {
    name: "a refused start is stored",
    file: "shared/features/erasure/store/erasures.ts",
    search: "allOf(condition, absentOr(below, A.refusedOp, erasure.op))",
    replacement: "condition",
    killedBy: {
      file: "test/features/erasure/flows/late-starts.test.ts",
      title: "an erasure of a process that was frozen for an hour and then dies has not started (%s)",
    },
  },
  {
    name: "the background overlooks a start that is stored while it reads its message",
    file: "shared/features/erasure/store/erasures.ts",
    search: "return result.applied || result.current?.[A.op] !== op;",
    replacement: "return result.applied || op.length > 0;",
    killedBy: {
      file: "test/features/erasure/flows/late-starts.test.ts",
      title: "an erasure that starts while its message is read, by a process that then dies, is continued",
    },
  },
  {
    name: "a process that was frozen tries the refused start again",
    file: "shared/features/erasure/flows/erase.ts",
    search: "if (time.now() - scheduledAt >= BACKGROUND_DELAY / 2) {",
    replacement: "if (ops.size === 0) {",
    killedBy: {
      file: "test/features/erasure/flows/late-starts.test.ts",
      title: "an erasure that a process starts after it was frozen for an hour is continued",
    },
  },
  {
    name: "an erasure removes newer rows",
    file: "shared/features/erasure/flows/related-rows.ts",
    search: "return traces.filter(({ at }) => at <= erasure.erasedAt);",
    replacement: "return traces.filter(({ at }) => at <= erasure.erasedAt + 86_400_000);",
    killedBy: {
      file: "test/features/erasure/flows/erase.test.ts",
      title: "a conversation that starts while the person's earlier one is erased keeps all its rows",
    },
  },
  {
    name: "the rows of a crashed run stay",
    file: "shared/features/erasure/flows/first-pass.ts",
    search: `  let erasure = initial;
  await removeCountedRows(ports, erasure, endpointIds);`,
    replacement: "  let erasure = initial;",
    killedBy: {
      file: "test/features/erasure/flows/erase.test.ts",
      title: "erasing again removes the rows that a crashed run counted, without counting them again",
    },
  },
  {
    name: "the events of a late row are not saved",
    file: "shared/features/erasure/flows/first-pass.ts",
    search: `      await ports.erasures.saveEvents(erasure, page);
`,
    replacement: "",
    killedBy: {
      file: "test/features/erasure/flows/passes.test.ts",
      title:
        "a message that is stored late, among rows that are counted and not removed is removed with them, and its later delivery with the next pass",
    },
  },
  {
    name: "an update from before an erasure is recorded",
    file: "shared/features/erasure/late-writes.ts",
    search: "if (!(await erasure.coversUpdate(update))) return record(erasure);",
    replacement: "if (update.at > 0) return record(erasure);",
    killedBy: {
      file: "test/features/erasure/flows/late-writes.test.ts",
      title: "a redelivered message is dropped, at once and until its retention ends",
    },
  },
  {
    name: "a dropped message leaves no mark",
    file: "shared/features/inbox/flows/ingest-message.ts",
    search: "onDrop: (erasure) => erasure.markDropped(message),",
    replacement: "",
    killedBy: {
      file: "test/features/erasure/flows/changes.test.ts",
      title: "a change is dropped like its late message, %s",
    },
  },
  {
    name: "a dropped message leaves the change that arrived before it",
    file: "shared/features/inbox/flows/ingest-message.ts",
    search: 'if (result === "erased") return removePending(ports, { account, conversationId, messageId });',
    replacement: 'if (result === "erased") return;',
    killedBy: {
      file: "test/features/erasure/flows/changes.test.ts",
      title: "an early change is removed when its message arrives and is dropped, %s",
    },
  },
  {
    name: "a change that is stored as pending does not look for the mark of its message",
    file: "shared/features/inbox/flows/pending-changes.ts",
    search: "  if (await erasure.wasRemoved(messageId)) {",
    replacement: "  if (erasure.erasedAt === Number.NaN) {",
    killedBy: {
      file: "test/features/erasure/flows/changes.test.ts",
      title: "an early change is removed by its own process, when its message is dropped between any two of its writes",
    },
  },
  {
    name: "the event of a failed send is stored without its send record",
    file: "shared/features/delivery/store/event-bodies.ts",
    search: "          check(sendRecordKey(conversationId, sendId), itemExists),",
    replacement: "          check(sendRecordKey(conversationId, event.ulid), itemDoesNotExist),",
    killedBy: {
      file: "test/features/sending/flows/frozen-over-erasure.test.ts",
      title: "a frozen reply leaves nothing after the erasure",
    },
  },
  {
    name: "a reply starts a conversation",
    file: "shared/features/sending/flows/settle.ts",
    search: "{ ...inbox, mayStart: false }",
    replacement: "inbox",
    killedBy: {
      file: "test/features/sending/flows/frozen-over-erasure.test.ts",
      title: "a frozen reply leaves nothing after the erasure",
    },
  },
  {
    name: "a send that was started after its erasure leaves its record",
    file: "shared/features/sending/perform.ts",
    search: `if (outcome.kind === "late" && (await wasErased(ports, attempt))) {`,
    replacement: `if (outcome.kind === "late" && attempt.startedAt < 0 && (await wasErased(ports, attempt))) {`,
    killedBy: {
      file: "test/features/sending/flows/frozen-over-erasure.test.ts",
      title: "a frozen reply leaves nothing after the erasure",
    },
  },
  {
    name: "a reply that looks newer than the erasure of its echo is stored again",
    file: "shared/features/sending/flows/settle.ts",
    search: "return echoAt !== undefined && undoErasedSend(ports, tenant, record, echoAt);",
    replacement: "return echoAt !== undefined && undoErasedSend(ports, tenant, record);",
    killedBy: {
      file: "test/features/sending/flows/frozen-over-erasure.test.ts",
      title: "a reply whose echo an erasure removed stays removed, with one event, when the erasure %s",
    },
  },
  {
    name: "a change has the time of the platform's clock",
    file: "shared/features/inbox/flows/apply-message-change.ts",
    search: "erasure.covers(now) ? update.at : Math.min(update.at, now)",
    replacement: "update.at",
    killedBy: {
      file: "test/features/erasure/flows/changes.test.ts",
      title: "the %s of a stored message is erased with it, when the platform's clock is ahead of ours",
    },
  },
  {
    name: "an erasure ends with its first pass",
    file: "shared/features/erasure/flows/later-pass.ts",
    search: "    if (page.ulids.length > 0 && nextPassAt === null) {",
    replacement: "    if (page.ulids.length > 0 && nextPassAt !== null) {",
    killedBy: {
      file: "test/features/erasure/flows/late-writes.test.ts",
      title:
        "a message that is stored while its conversation is erased is removed by the next pass when its worker crashes, and one more pass follows for its deliveries",
    },
  },
  {
    name: "an expired marker still drops messages",
    file: "shared/features/erasure/store/erasures.ts",
    search: "(item[A.ttl] as number) * SECOND > now;",
    replacement: "(item[A.ttl] as number) * SECOND > 0 && now > 0;",
    killedBy: {
      file: "test/features/erasure/flows/erase.test.ts",
      title: "erasing again removes nothing and renews the marker while it exists, and returns not found afterwards",
    },
  },
  {
    name: "a repeated erasure ends with the erasure of an earlier request",
    file: "shared/features/erasure/flows/erase.ts",
    search: "if (start.isOwn || !hasTime()) return { done: start.isOwn, removed };",
    replacement: "if (start !== null) return { done: true, removed };",
    killedBy: {
      file: "test/features/erasure/flows/erase.test.ts",
      title: "erasing again during the first pass of an earlier call %s",
    },
  },
  {
    name: "a repeated erasure that finds only the marker does not renew it",
    file: "shared/features/erasure/flows/erase.ts",
    search: "lastErasedAt !== null && lastErasedAt >= now) return",
    replacement: "lastErasedAt !== null) return",
    killedBy: {
      file: "test/features/erasure/flows/late-writes.test.ts",
      title: "a message from before a repeated call, which found nothing, is dropped when it arrives at last",
    },
  },
  {
    name: "a repeated erasure ends without a later pass",
    file: "shared/features/erasure/flows/erase.ts",
    search: "const nextPassAt = time.now() + PASS_INTERVAL;",
    replacement: "const nextPassAt = time.now() + PASS_INTERVAL * 10_000;",
    killedBy: {
      file: "test/features/erasure/flows/late-writes.test.ts",
      title: "a message that a worker stores while a repeated call renews the marker is removed",
    },
  },
  {
    name: "a message of an erased conversation stays when it was stored late",
    file: "shared/features/erasure/late-writes.ts",
    search: `  if (record.message.sentAt <= erasedAt) {
    await removeLateMessage`,
    replacement: `  if (record.message.sentAt < erasedAt - 86_400_000) {
    await removeLateMessage`,
    killedBy: {
      file: "test/features/erasure/flows/late-writes.test.ts",
      title:
        "a message that is stored while its conversation is erased is removed, does not change the head and is not published",
    },
  },
  {
    name: "the row of an upload is removed although a finish has stored another copy",
    file: "shared/features/uploads/store/upload-removals.ts",
    search: "remove(key, isUnchanged(A.copyKey, copyKey ?? undefined))",
    replacement: "remove(key)",
    killedBy: {
      file: "test/features/uploads/flows/erasure-races.test.ts",
      title:
        "an erasure concurrent with the creation, the finish and the hand-over of uploads leaves no row, no file and no message that makes one",
    },
  },
  {
    name: "the row of an upload is removed before its files",
    file: "shared/features/uploads/remove-uploads.ts",
    search: `    const keys = remaining.flatMap(fileKeys);
`,
    replacement: `    const keys = remaining.flatMap(fileKeys);
    await uploadRemovals.remove(remaining);
`,
    killedBy: crash,
  },
  {
    name: "the rows that refer to an upload are removed before it",
    file: "shared/features/erasure/flows/related-rows.ts",
    search: `  await removeUploads(ports, uploads);
`,
    replacement: `  await ports.traces.remove(rows);
  await removeUploads(ports, uploads);
`,
    killedBy: crash,
  },
  {
    name: "an erasure leaves the copy of an upload",
    file: "shared/features/uploads/remove-uploads.ts",
    search: "copyKey === null ? [] : [copyKey]",
    replacement: "copyKey === null ? [] : []",
    killedBy: crash,
  },
];
