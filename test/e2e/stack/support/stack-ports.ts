import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { env } from "#base/config/names.ts";
import { sweepCheckpointKey } from "#features/delivery/store/items.ts";
import { listeningSockets } from "#local-aws/access/listening-sockets.ts";
import { controlHeaders } from "../../../support/access/control-token.ts";
import { type SignedFetch, signedHeaders } from "../../../support/access/signed-fetch.ts";
import { openSocket } from "../../../support/sockets/test-socket.ts";
import { readTable } from "../../support/dump-table.ts";
import { readQueues } from "../../support/emulator-journals.ts";
import type { openSharedStack } from "../../support/local-stack.ts";

// Each port that the processes of a running stack have open, as the kernel lists them, and the calls that change something
// there.

/** A call that changes something at one of the ports, with all that it needs to be accepted. */
export interface Attack extends SignedFetch {
  readonly path: string;
}

/** The ports of a running stack, with a socket of its tenant: the management API of the sockets is one of the services. */
export async function openStackPorts(stack: Awaited<ReturnType<typeof openSharedStack>>) {
  const environment = JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8"));
  const stackPid: number = JSON.parse(readFileSync(join(stack.dataDir, "lock"), "utf8")).pid;
  const ticket = (await stack.api("POST", "/v1/realtime/ticket")).body.data as unknown as {
    ticket: string;
    url: string;
  };
  const socket = await openSocket(`${ticket.url}?ticket=${ticket.ticket}`);
  // The delay of the first frame.
  await stack.clock("PT3S");
  const { connection_id } = JSON.parse(await socket.next((text) => text.includes('"hello"')));
  const connectionPath = `${new URL(environment[env.realtimeEndpoint] ?? "").pathname}/@connections/${connection_id}`;
  /** Of the stack's own process: all but the engine's, which the table's port stands before. */
  const ports: readonly number[] = (listeningSockets(stackPid) ?? []).map(({ port }) => port);
  const accessKey = {
    id: environment.AWS_ACCESS_KEY_ID ?? "",
    secret: environment.AWS_SECRET_ACCESS_KEY ?? "",
  };

  function attacks(): Attack[] {
    const Item = { PK: { S: "attack" }, SK: { S: "attack" } };
    const json = { "content-type": "application/json" };
    const target = (name: string, type = "1.0") => ({
      "x-amz-target": name,
      "content-type": `application/x-amz-json-${type}`,
    });
    const body = JSON.stringify;
    return [
      {
        service: "dynamodb",
        path: "/",
        headers: target("DynamoDB_20120810.PutItem"),
        body: body({ TableName: environment[env.table], Item }),
      },
      { service: "sqs", path: "/", headers: target("AmazonSQS.CreateQueue"), body: body({ QueueName: "attack" }) },
      {
        service: "secretsmanager",
        path: "/",
        headers: target("secretsmanager.CreateSecret", "1.1"),
        body: body({ Name: "attack" }),
      },
      { service: "s3", method: "PUT", path: "/attack" },
      {
        service: "execute-api",
        path: "/_sim/faults",
        headers: { ...json, ...controlHeaders(stack.info.control_token) },
        body: body({ mode: "5xx", on: "logins", for: 1 }),
      },
      {
        service: "execute-api",
        path: "/v1/webhooks",
        headers: { ...json, authorization: `Bearer ${stack.info.live_key}` },
        body: body({ url: "http://127.0.0.1:1/attack" }),
      },
      { service: "execute-api", path: connectionPath, body: body({ type: "pong" }) },
      {
        service: "execute-api",
        path: "/_local/clock",
        headers: { ...json, ...controlHeaders(stack.info.control_token) },
        body: body({ advance: "PT1M" }),
      },
    ];
  }

  /** Sends a signed call with other headers. The signature covers the name that the port has. */
  async function attack(port: number, { path, ...call }: Attack, changes: Record<string, string>) {
    const url = `http://127.0.0.1:${port}${path}`;
    const { authorization } = call.headers ?? {};
    const signed = await signedHeaders(url, { ...call, accessKey });
    return await send(
      port,
      call.method ?? "POST",
      path,
      {
        ...signed,
        ...(authorization ? { authorization } : {}),
        ...changes,
      },
      call.body,
    );
  }

  /** The contents of the stack once the work of earlier calls is done: nothing changes for half a second. */
  async function settledContents() {
    let latest = await contents();
    for (let before: unknown; !isDeepStrictEqual(before, latest); ) {
      await setTimeout(500);
      [before, latest] = [latest, await contents()];
    }
    return latest;
  }

  async function contents() {
    const simulated = await stack.sim<{ fault: unknown }>("GET", "/state");
    const readFile = (...path: string[]) => {
      const file = join(stack.dataDir, ...path);
      return existsSync(file) ? readFileSync(file, "utf8") : "";
    };
    const rows = await readTable(stack);
    return {
      // Without what sweeps and counters write at any time.
      table: rows
        .filter(({ PK, SK }) => SK !== sweepCheckpointKey.SK && !PK.startsWith("RQ#"))
        .map(toSortedJson)
        .sort(),
      queues: [...readQueues(stack.dataDir)].map(([name, messages]) => [name, messages.length]),
      secrets: readFile("emulators", "secrets.jsonl"),
      buckets: readFile("emulators", "s3.jsonl"),
      fault: simulated.fault,
      frames: [...socket.messages],
      clock: readFile("clock.json"),
    };
  }

  return {
    environment,
    stackPid,
    ports,
    connectionPath,
    accessKey,
    attacks,
    attack,
    contents,
    settledContents,
    async [Symbol.asyncDispose]() {
      socket.terminate();
    },
  };
}

/** A call of AWS has a signature, and any other its own header. */
export const isSigned = ({ headers = {} }: Attack): boolean => headers.authorization === undefined;

interface Answer {
  readonly status: number | undefined;
  /** Headers that let a page read the answer. */
  readonly cors: readonly string[];
}

/** Sends a request over a connection of its own. */
export async function send(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answer> {
  const call = request({ host: "127.0.0.1", port, method, path, headers, agent: false });
  call.once("upgrade", (answer, socket) => {
    socket.destroy();
    call.emit("response", answer);
  });
  call.end(body);
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  answer.resume();
  const cors = Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"));
  return { status: answer.statusCode, cors };
}

function toSortedJson(row: object): string {
  return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}
