import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createClient, type UserConfig } from "@hey-api/openapi-ts";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { personWrites } from "../e2e/support/api-calls.ts";
import { type LocalStack, startLocalStack } from "../e2e/support/local-stack.ts";

// A client that another project's generator makes of the served document compiles, and lists conversations.

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A program of a user. It does not compile if the generated types lack a name, a field or a code. */
const PROGRAM = `
import { client } from "./generated/client.gen";
import { listConversations } from "./generated/sdk.gen";
import type { Conversation, Hold, ListConversationsErrors, Message, MessageReceivedEvent } from "./generated/types.gen";

export async function handles(baseUrl: string, key: string): Promise<(string | null)[]> {
  client.setConfig({ baseUrl, auth: key });
  const { data } = await listConversations({ query: { limit: 10 }, throwOnError: true });
  const conversations: Conversation[] = data.data.conversations;
  return conversations.map(({ participant_username }) => participant_username);
}

export async function refusal(baseUrl: string): Promise<string> {
  client.setConfig({ baseUrl, auth: "svc_live_unknown" });
  const { error } = await listConversations();
  return error !== undefined && "error" in error ? error.error.code : "none";
}

export const code = (failure: ListConversationsErrors[401]): "unauthorized" => failure.error.code;
export const status = (hold: Hold): "awaiting_verification" | "sending" | "sent" | "failed" | "expired" => hold.status;
export const sentAt = (message: Message): string => message.sent_at;
export const text = (event: MessageReceivedEvent): string => event.data.message.text;
`;

const compilerOptions = {
  ...{ strict: true, noEmit: true, noUncheckedIndexedAccess: true, target: "es2022" },
  ...{ module: "esnext", moduleResolution: "bundler", lib: ["es2024", "dom", "dom.iterable"], types: [] },
};

const folder = mkdtempSync(join(tmpdir(), "parley-generated-"));
let stack: LocalStack;
beforeAll(async () => {
  stack = await startLocalStack();
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it("a generated client compiles strictly and lists the conversations of a running stack", async () => {
  const { base_url: baseUrl, live_key: key } = stack.info;
  const input = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Record<string, unknown>;
  const options: UserConfig = {
    input,
    output: { path: join(folder, "generated") },
    plugins: ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"],
    logs: { level: "silent", file: false },
  };
  await createClient(options);
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
  const compiler = join(ROOT, "node_modules", ".bin", "tsc");
  const compiled = await promisify(execFile)(compiler, ["-p", folder]).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe("");

  const outfile = join(folder, "program.mjs");
  await build({ entryPoints: [join(folder, "program.ts")], bundle: true, format: "esm", outfile, logLevel: "error" });
  const program = await import(pathToFileURL(outfile).href);

  await personWrites(stack, "messenger", "generated");
  const { body } = await stack.api("GET", "/v1/conversations");
  const listed: readonly object[] = body.data.conversations;
  const expected = listed.map((conversation) => Reflect.get(conversation, "participant_username"));
  expect(expected).toHaveLength(1);
  expect(await program.handles(baseUrl, key)).toEqual(expected);
  expect(await program.refusal(baseUrl)).toBe("unauthorized");
});
