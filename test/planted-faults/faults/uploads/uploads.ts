import type { PlantedFault } from "../../planted-fault.ts";

const storeTest = "test/features/uploads/store/uploads.test.ts";
const finishTest = "test/features/uploads/flows/finish.test.ts";
const racesTest = "test/features/uploads/flows/finish-races.test.ts";
const ownersTest = "test/features/sending/flows/attachment-owners.test.ts";
const finish = "shared/features/uploads/flows/finish.ts";
const store = "shared/features/uploads/store/uploads.ts";

export const uploadsFaults: readonly PlantedFault[] = [
  {
    name: "a form takes twice the limit",
    file: "shared/features/uploads/flows/create.ts",
    search: "contentType, maxSize, expiresAt }",
    replacement: "contentType, maxSize: maxSize * 2, expiresAt }",
    killedBy: {
      file: finishTest,
      title: "creating an upload answers a form that takes the limit of its kind and no byte more",
    },
  },
  {
    name: "an upload is created although its conversation was erased in the meantime",
    file: store,
    search: ", check(headKey(upload.conversationId), conversationExists)]",
    replacement: "]",
    killedBy: { file: storeTest, title: "a new upload is stored with its ref, or not at all" },
  },
  {
    name: "each of several callers starts a hand-over",
    file: store,
    search: "upload.state.copyKey === copyKey",
    replacement: "upload.state.copyKey !== null",
    killedBy: {
      file: racesTest,
      title: "finishing an upload by twenty callers at once starts one hand-over and leaves one copy",
    },
  },
  {
    name: "an upload becomes ready after its time is over",
    file: store,
    search: "condition: above(Upload.processingAt, now - UPLOAD_PROCESSING_MAX),",
    replacement: "",
    killedBy: { file: storeTest, title: "an upload becomes ready until it lapses" },
  },
  {
    name: "a late repetition of a write takes back a failed call that was counted since",
    file: store,
    search: "allOf(isProcessing, isUnchanged(Upload.tries, tries === 0 ? undefined : tries))",
    replacement: "isProcessing",
    killedBy: { file: storeTest, title: "an upload counts each failed call once, also if the answer is lost" },
  },
  {
    name: "the copy has other bytes than those that were checked",
    file: "shared/base/aws/upload-files.ts",
    search: "CopySourceIfMatch: etag,",
    replacement: "",
    killedBy: {
      file: racesTest,
      title: "a file that is replaced, %s, is not handed over, and the upload can be finished again",
    },
  },
  {
    name: "the first bytes are those of another file than its size",
    file: "shared/base/aws/upload-files.ts",
    search: "IfMatch: etag, ",
    replacement: "",
    killedBy: {
      file: racesTest,
      title: "a file that is replaced, %s, is not handed over, and the upload can be finished again",
    },
  },
  {
    name: "a finish that lost leaves its copy",
    file: finish,
    search: "await removeFile(ports, copy);\n    return refuse",
    replacement: "return refuse",
    killedBy: {
      file: racesTest,
      title: "finishing an upload by twenty callers at once starts one hand-over and leaves one copy",
    },
  },
  {
    name: "an upload can be finished until its files are deleted",
    file: finish,
    search: "return time.now() < finishableUntil(id);",
    replacement: "return finishableUntil(id) > 0;",
    killedBy: {
      file: finishTest,
      title:
        "finishing an upload works until 22 hours after the start of its hour, although the grant ended, and not after",
    },
  },
  {
    name: "a hand-over starts although the purge of its hour passed during the finish",
    file: finish,
    search: "isCopied && isFinishable(upload, time) && ",
    replacement: "isCopied && ",
    killedBy: {
      file: racesTest,
      title:
        "finishing an upload in a process that freezes %s %s until the purge of its hour starts no hand-over and leaves no file",
    },
  },
  {
    name: "a test key starts a call of the platform",
    file: finish,
    search: " || upload.scope !== caller.scope",
    replacement: "",
    killedBy: {
      file: finishTest,
      title:
        "finishing an upload is refused for an upload that is unknown, malformed, of another tenant or scope, or finished",
    },
  },
  {
    name: "a refused file can be finished again",
    file: finish,
    search: 'const upload = await ports.uploads.fail(id, { error, from: "waiting", now: time.now() });',
    replacement:
      'const upload = { state: { status: "failed", error } } as { state: { status: string; error: typeof error } };',
    killedBy: {
      file: finishTest,
      title: "finishing an upload refuses a file that is not what it claims to be, deletes it and consumes the upload",
    },
  },
  {
    name: "an upload without a message stays in processing",
    file: finish,
    search: 'const upload = await ports.uploads.fail(id, { error, from: "processing", now: time.now() });',
    replacement: "const upload = (await ports.uploads.get(id)) ?? (error as never);",
    killedBy: {
      file: finishTest,
      title: "finishing an upload ends the upload when the queue does not take its message",
    },
  },
  {
    name: "an upload of a disconnected account is finished",
    file: "shared/features/uploads/flows/upload-conversation.ts",
    search: "head && account ?",
    replacement: "head ?",
    killedBy: {
      file: finishTest,
      title: "finishing an upload is refused when the conversation expired, was erased or lost its account",
    },
  },
  {
    name: "another tenant reads an upload",
    file: "shared/features/uploads/flows/read.ts",
    search: "  if (refusal) return refusal;\n",
    replacement: "",
    killedBy: { file: finishTest, title: "reading an upload works for a day, and never for another tenant" },
  },
  {
    name: "the account of an attachment is stored after its id",
    file: "shared/features/uploads/flows/hand-over.ts",
    search: `  await ports.attachmentOwners.put(tenant, {
    attachmentId,
    accountKey: accountKey(account),
    scope,
    uploadedAt: time.now(),
  });
  const completed = await ports.uploads.complete(id, attachmentId, time.now());
`,
    replacement: `  const completed = await ports.uploads.complete(id, attachmentId, time.now());
  await ports.attachmentOwners.put(tenant, {
    attachmentId,
    accountKey: accountKey(account),
    scope,
    uploadedAt: time.now(),
  });
`,
    killedBy: {
      file: "test/features/uploads/flows/hand-over.test.ts",
      title: "an upload that the platform takes belongs to its account before anybody can read its id",
    },
  },
  {
    name: "the account of another tenant's attachment is known",
    file: "shared/features/sending/store/keys.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code
    search: "`AT#${tenant}#${shortHash(attachmentId)}`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code
    replacement: "`AT#${shortHash(attachmentId)}`",
    killedBy: {
      file: ownersTest,
      title: "an attachment that another tenant uploaded is unknown, so its account is not disclosed",
    },
  },
  {
    name: "the account of an attachment is known for ever",
    file: "shared/features/sending/store/attachment-owners.ts",
    search: "items.filter((item) => now < item[A.expiresAt])",
    replacement: "items",
    killedBy: { file: ownersTest, title: "the account of an attachment is known for 90 days" },
  },
];
