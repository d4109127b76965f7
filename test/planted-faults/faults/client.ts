import type { PlantedFault } from "../planted-fault.ts";

export const clientFaults: readonly PlantedFault[] = [
  {
    name: "the client repeats every call after a 429",
    file: "packages/client/src/retries.ts",
    search: "return status === 429 && RETRIED_AFTER_429.has(operation);",
    replacement: "return status === 429;",
    killedBy: { file: "test/packages/client/retries.test.ts", title: "%s is never retried" },
  },
  {
    name: "the client retries before the time in Retry-After",
    file: "packages/client/src/retries.ts",
    search: "return (retryAfter ?? 0) * 1_000 + backoff",
    replacement: "return backoff",
    killedBy: { file: "test/packages/client/retries.test.ts", title: "the wait starts after Retry-After in %s" },
  },
  {
    name: "an empty page ends a list of the client",
    file: "packages/client/src/pages.ts",
    search: "while (page.next_cursor !== null) {",
    replacement: "while (page.next_cursor !== null && entries(page).length > 0) {",
    killedBy: {
      file: "test/packages/client/paging.test.ts",
      title: "the client gives the entries of all pages, over empty pages, and stops at a null cursor",
    },
  },
  {
    name: "the client follows a redirect with its credential",
    file: "packages/client/src/http-client.ts",
    search: `        redirect: "manual",`,
    replacement: `        redirect: "follow",`,
    killedBy: { file: "test/packages/client/retries.test.ts", title: "a read is not retried after %s" },
  },
  {
    name: "the client accepts an API key in a worker of a page",
    file: "packages/client/src/key-rule.ts",
    search: "runtime instanceof WorkerGlobalScope && location !== undefined;",
    replacement: "false;",
    killedBy: { file: "test/packages/client/api-key.test.ts", title: "the runtime refuses a key: %s" },
  },
  {
    name: "the client sends an API key to any host whose name begins like a loopback address",
    file: "packages/client/src/key-rule.ts",
    search: "(:\\d+)?(\\/|$)/;",
    replacement: "/;",
    killedBy: {
      file: "test/packages/client/api-key.test.ts",
      title: "over plain http, an API key is refused for %s, and the fix is named",
    },
  },
  {
    name: "a webhook of any age is accepted",
    file: "packages/client/src/webhook-verifier.ts",
    search: "if (Math.abs(Math.floor(now / 1_000) - Number(timestamp)) > TOLERANCE_SECONDS) {",
    replacement: "if (Math.floor(now / 1_000) - Number(timestamp) < -TOLERANCE_SECONDS) {",
    killedBy: {
      file: "test/packages/client/webhook-verifier.test.ts",
      title: "a signature at %i ms of the receiver's clock is %s",
    },
  },
  {
    name: "a mistyped secret is the key of a digest",
    file: "packages/client/src/webhook-verifier.ts",
    search: "list.length > 0 && list.every((secret) => SECRET_PATTERN.test(secret))",
    replacement: "list.length > 0",
    killedBy: { file: "test/packages/client/webhook-verifier.test.ts", title: "the secret %j is never a key" },
  },
  {
    name: "a renewal closes the first connection before the next one says hello",
    file: "packages/client/src/realtime/connection.ts",
    search: "    const earlier = [...this.#sockets];\n",
    replacement: "    const earlier = [...this.#sockets];\n    for (const other of earlier) other.close();\n",
    killedBy: {
      file: "test/packages/client/realtime.test.ts",
      title: "a renewal opens the next connection before it closes the first one, and reports each event of both once",
    },
  },
  {
    name: "the stream reports a repeated event",
    file: "packages/client/src/realtime/recent-ids.ts",
    search: "if (this.#ids.has(id)) return false;",
    replacement: "if (this.#ids.has(id)) return true;",
    killedBy: {
      file: "test/packages/client/realtime.test.ts",
      title: "the client gets a ticket, connects, and reports hello and each event once",
    },
  },
  {
    name: "a time-out while a file is posted does not name the upload",
    file: "packages/client/src/resources/attachments.ts",
    search: "return namedByTimeout(grant.id, finishAndWait());",
    replacement: "return finishAndWait();",
    killedBy: { file: "test/packages/client/uploads.test.ts", title: "%s names the upload" },
  },
];
