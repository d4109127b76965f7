import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { PROJECT } from "../../../docs/markdown.ts";
import { createTestWebhook, personWrites, sentMessages } from "../../../e2e/support/api-calls.ts";
import type { LocalStack } from "../../../e2e/support/local-stack.ts";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { openReceiver } from "../../../e2e/support/webhook-receiver.ts";

/** What a program prints as JSON. */
export interface Seen {
  /** The id of the newest conversation of the list. */
  readonly conversation: string;
  /** The texts of its messages, newest first. */
  readonly texts: readonly string[];
  /** The platform's id of the reply. */
  readonly sent: string;
  /** The code of the error that an unknown key gets. */
  readonly refusal: string;
  /** Whether the delivery passes the verifier, as it came and with a changed body. */
  readonly verified: boolean;
  readonly changed: boolean;
  /** The text of the event's message. */
  readonly event: string;
}

/** A temporary folder with `openapi.json`, as a running stack serves it. */
export interface ClientFolder {
  readonly path: string;
  /** Copies a file of the repository into the folder, under its own name or at another path. */
  add(file: string, target?: string): void;
  close(): void;
}

export async function openClientFolder({ info }: LocalStack): Promise<ClientFolder> {
  const path = mkdtempSync(join(tmpdir(), "parley-generated-"));
  const document = await fetch(`${info.base_url}/openapi.json`);
  writeFileSync(join(path, "openapi.json"), await document.text());
  return {
    path,
    add: (file, target = basename(file)) => cpSync(join(PROJECT, file), join(path, target)),
    close: () => rmSync(path, { recursive: true, force: true }),
  };
}

/**
 * A person writes, and a program lists, reads and replies with the generated client, and verifies the delivery of that
 * message, which is in `delivery.json`. Compares what the program saw with the stack, its simulator and its delivery.
 *
 * @param stack a stack whose clock is right: the verifiers have the machine's
 * @param start starts the program with environment variables, and returns its standard output
 */
export async function expectWorkingClient(
  stack: LocalStack,
  folder: ClientFolder,
  start: (env: Record<string, string>) => Promise<string>,
): Promise<void> {
  const text = "Do you have it in blue?";
  const conversation = await receive(stack, folder, text);
  const reply = `Yes, in ${folder.path}`;
  const { base_url, live_key } = stack.info;
  const output = await start({ PARLEY_URL: base_url, PARLEY_KEY: live_key, REPLY_TEXT: reply });
  const seen: Seen = JSON.parse(output.trim().split("\n").at(-1) ?? "");
  const sent = await sentMessages(stack, reply);
  expect(sent).toHaveLength(1);
  expect(seen).toEqual({
    ...{ conversation, texts: [text], sent: sent[0]?.mid, refusal: "unauthorized" },
    ...{ verified: true, changed: false, event: text },
  });
}

/** A person writes, and the delivery of the message is saved. @returns the conversation id */
async function receive(stack: LocalStack, folder: ClientFolder, text: string): Promise<string> {
  const receiver = await openReceiver();
  try {
    const { secret } = await createTestWebhook(stack, receiver.url, ["message.received"]);
    const conversation = await personWrites(stack, "messenger", "Generated Gwen", text);
    const isDelivered = () => receiver.deliveries[0];
    const { headers, raw } = await waitFor("the message is delivered", isDelivered, { seconds: 120 });
    const values = { timestamp: headers["svc-timestamp"], signature: headers["svc-signature"] };
    writeFileSync(join(folder.path, "delivery.json"), JSON.stringify({ ...values, body: raw.toString(), secret }));
    return conversation;
  } finally {
    await receiver.close();
  }
}
