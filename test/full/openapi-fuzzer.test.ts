import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openApiDocument } from "#http/openapi/document.ts";
import { apiRoutes } from "../../functions/api/routes.ts";
import { openReplyFixture, type ReplyFixture } from "../support/flows/reply-fixture.ts";
import { openTestEnv, type TestEnv } from "../support/flows/test-env.ts";
import { liveKeyOf, testApp } from "../support/routes/test-app.ts";

// Schemathesis, an independent fuzzer, sends requests that the OpenAPI document calls valid: none is a fault, and none
// is refused as invalid. `SCHEMATHESIS` names its program; without the program the test is skipped.

const PROGRAM = process.env.SCHEMATHESIS ?? "schemathesis";
/** Operations with few parameters have fewer different requests. */
const EXAMPLES_PER_OPERATION = 100;
const REQUESTS_MIN = 2_000;
const isInstalled = spawnSync(PROGRAM, ["--version"]).status === 0;

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
type Document = any;
interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  required?: boolean;
  schema?: object;
}

let testEnv: TestEnv;
let server: Server;
let folder: string;
let requests = 0;
beforeAll(async () => {
  testEnv = await openTestEnv();
  const fixture = await openReplyFixture(testEnv, "messenger");
  const app = testApp(testEnv, { ...fixture.ports(), gate: acceptingGate }, liveKeyOf(fixture.tenant));
  server = createServer(async (request, response) => {
    requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "GET", url = "/" } = request;
    const body = chunks.length === 0 || method === "GET" ? null : Buffer.concat(chunks);
    const headers = new Headers(request.headersDistinct as never);
    const answer = await app.fetch(new Request(`http://gateway${url}`, { method, headers, body }), {});
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  folder = mkdtempSync(join(tmpdir(), "parley-fuzzer-"));
});
afterAll(async () => {
  server?.close();
  await testEnv?.close();
  if (folder) rmSync(folder, { recursive: true });
});

/** Which hosts may be called is not the schema's matter. */
const acceptingGate = {
  checkUrl: (url: string) => ({ ok: true, url: new URL(url) }),
  checkAndResolve: async (url: string) => ({ ok: true, url: new URL(url), addresses: [] }),
} as unknown as ReturnType<ReplyFixture["ports"]>["gate"];

/** The document without values that come from elsewhere, and without the rules between two fields. */
function fuzzedDocument(): Document {
  const document: Document = openApiDocument(apiRoutes, { title: "Parley", version: "1" });
  for (const operations of Object.values<Document>(document.paths)) {
    for (const operation of Object.values<Document>(operations)) {
      const isLeftOut = ({ $ref = "", name }: Parameter) => /Cursor|Tenant/.test($ref) || name === "to";
      const parameters = (operation.parameters ?? []).filter((parameter: Parameter) => !isLeftOut(parameter));
      if (operation.operationId === "replayDeliveries") {
        // Required here or in the body, and not after `to`, which is now by default.
        for (const parameter of parameters) {
          if (parameter.name !== "from") continue;
          parameter.required = true;
          parameter.schema = { type: "integer", minimum: 0, maximum: testEnv.now() };
        }
        delete operation.requestBody;
      }
      operation.parameters = parameters;
    }
  }
  return document;
}

it.skipIf(!isInstalled)(
  `${isInstalled ? "" : "(skipped: schemathesis is not installed) "}2,000 valid requests of an independent fuzzer cause no fault, and none is refused as invalid`,
  async () => {
    const document = join(folder, "openapi.json");
    writeFileSync(document, JSON.stringify(fuzzedDocument()));
    const config = join(folder, "schemathesis.toml");
    const expected = '["2xx", "3xx", "401", "403", "404", "409", "413", "429"]';
    writeFileSync(config, `[checks]\npositive_data_acceptance.expected-statuses = ${expected}\n`);
    const { port } = server.address() as AddressInfo;
    const args = [
      ["--config-file", config, "run", document, "--url", `http://127.0.0.1:${port}`],
      ["--checks", "not_a_server_error,positive_data_acceptance", "--mode", "positive", "--phases", "fuzzing"],
      ["--max-examples", String(EXAMPLES_PER_OPERATION), "--seed", "1", "--max-redirects", "0"],
      ["--suppress-health-check", "all", "--warnings", "off", "--continue-on-failure"],
    ].flat();
    const { status, output } = await new Promise<{ status: number; output: string }>((resolve) =>
      execFile(PROGRAM, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
        resolve({ status: Number(error?.code ?? 0), output: `${stdout}${stderr}` }),
      ),
    );
    expect(output).toContain("Test cases:");
    expect([status, status === 0 ? "" : output]).toEqual([0, ""]);
    expect(requests).toBeGreaterThanOrEqual(REQUESTS_MIN);
    expect(testEnv.lines.filter((line) => line.event === "request.failed")).toEqual([]);
  },
  600_000,
);
