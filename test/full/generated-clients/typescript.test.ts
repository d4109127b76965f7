import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { PROJECT } from "../../docs/markdown.ts";
import { startLocalStack } from "../../e2e/support/local-stack.ts";
import { openedOnce } from "../../support/opened.ts";
import { expectWorkingClient, openClientFolder } from "./support/client-folder.ts";
import { guideCommands, run, TIMEOUT_MS } from "./support/follow-guide.ts";

/** A program of a user. It does not compile if the generated types lack a name, a field or a code. */
const PROGRAM = `
import { readFileSync } from "node:fs";
import { client } from "./generated/client.gen";
import { getConversation, listConversations, sendReply } from "./generated/sdk.gen";
import type { Conversation, Hold, ListConversationsErrors, Message, MessageReceivedEvent } from "./generated/types.gen";
import { verify } from "./verify";

const { PARLEY_URL: baseUrl = "", PARLEY_KEY: auth = "", REPLY_TEXT: text = "" } = process.env;
client.setConfig({ baseUrl, auth });
const listed = await listConversations({ query: { limit: 10 }, throwOnError: true });
const [conversation]: Conversation[] = listed.data.data.conversations;
if (!conversation) throw new Error("The list is empty.");
const { id } = conversation;
const read = await getConversation({ path: { id }, throwOnError: true });
const sent = await sendReply({ body: { conversation_id: id, text }, throwOnError: true });
client.setConfig({ baseUrl, auth: "svc_live_unknown" });
const { error } = await listConversations();

const delivery: { body: string; secret: string; timestamp: string; signature: string } = JSON.parse(
  readFileSync("delivery.json", "utf8"),
);
const headers = { "svc-timestamp": delivery.timestamp, "svc-signature": delivery.signature };
const isVerified = (body: string) => verify(Buffer.from(body), headers, delivery.secret);
const event: MessageReceivedEvent = JSON.parse(delivery.body);

console.log(
  JSON.stringify({
    conversation: id,
    texts: read.data.data.messages.map((message: Message) => message.text),
    sent: sent.data.data.platform_message_id,
    refusal: error !== undefined && "error" in error ? error.error.code : "none",
    verified: isVerified(delivery.body),
    changed: isVerified(delivery.body + " "),
    event: event.data.message.text,
  }),
);

export const code = (failure: ListConversationsErrors[401]): "unauthorized" => failure.error.code;
export const status = (hold: Hold): "awaiting_verification" | "sending" | "sent" | "failed" | "expired" => hold.status;
`;

const compilerOptions = {
  ...{ strict: true, noEmit: true, noUncheckedIndexedAccess: true, target: "es2022" },
  ...{ module: "esnext", moduleResolution: "bundler", lib: ["es2024", "dom", "dom.iterable"], types: ["node"] },
  typeRoots: [join(PROJECT, "node_modules/@types")],
};

const stack = openedOnce(startLocalStack);
const folder = openedOnce(() => openClientFolder(stack));

it(
  "a client that openapi-ts generates compiles strictly, lists, reads and replies, and the verifier verifies a webhook",
  async () => {
    const { version, args } = generatorOfGuide();
    const { devDependencies } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
    expect(version).toBe(devDependencies["@hey-api/openapi-ts"]);
    await run(process.execPath, [join(PROJECT, "node_modules/@hey-api/openapi-ts/bin/run.js"), ...args], folder.path);

    folder.add("docs/guides/receivers/verify.ts");
    writeFileSync(join(folder.path, "program.ts"), PROGRAM);
    writeFileSync(join(folder.path, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
    await run(join(PROJECT, "node_modules/.bin/tsc"), ["-p", "."], folder.path);
    const outfile = join(folder.path, "program.mjs");
    const entryPoints = [join(folder.path, "program.ts")];
    await build({ entryPoints, bundle: true, platform: "node", format: "esm", outfile, logLevel: "error" });
    await expectWorkingClient(stack, folder, (env) => run(process.execPath, ["program.mjs"], folder.path, env));
  },
  TIMEOUT_MS,
);

/** The version and the arguments of the guide's command. The program itself is installed in this repository. */
function generatorOfGuide() {
  const match = /--package @hey-api\/openapi-ts@(\S+) openapi-ts (.+)\n/.exec(guideCommands("TypeScript"));
  return { version: match?.[1], args: match?.[2]?.split(" ") ?? [] };
}
