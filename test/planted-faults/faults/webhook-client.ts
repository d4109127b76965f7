import type { PlantedFault } from "../planted-fault.ts";

export const webhookClientFaults: readonly PlantedFault[] = [
  {
    name: "an attempt reads without a limit",
    file: "shared/base/net/response-guard.ts",
    search: "if (transport.bytesRead - bytesBefore <= ATTEMPT_READ_BYTES_MAX - READ_BYTES_MAX) return;",
    replacement: "if (transport.bytesRead - bytesBefore <= 1e6 * ATTEMPT_READ_BYTES_MAX) return;",
    killedBy: {
      file: "test/base/net/webhook-client-hostile.test.ts",
      title: "a flood after normal responses on a reused connection ends after at most 256 KiB of its own",
    },
  },
  {
    name: "the bytes of earlier attempts on a connection count",
    file: "shared/base/net/response-guard.ts",
    search: `    bytesBefore = bytes;
`,
    replacement: "",
    killedBy: {
      file: "test/base/net/webhook-client-hostile.test.ts",
      title: "each attempt on a reused connection may read its own 256 KiB",
    },
  },
  {
    name: "100 Continue breaks the connection",
    file: "shared/base/net/interim-responses.ts",
    search: "if (!INTERIM_STATUS.test(status)) {",
    replacement: `if (status !== "" || !INTERIM_STATUS.test(status)) {`,
    killedBy: {
      file: "test/base/net/webhook-client-hostile.test.ts",
      title: "100 Continue before the response counts as a normal answer, and the connection is used again",
    },
  },
  {
    name: "a response's body has no limit",
    file: "shared/base/net/exchange.ts",
    search: "if (this.#bytes > RESPONSE_BYTES_MAX) this",
    replacement: "if (this.#bytes > 100 * RESPONSE_BYTES_MAX) this",
    killedBy: {
      file: "test/base/net/webhook-client.test.ts",
      title: "a 2xx with %i bytes",
    },
  },
];
