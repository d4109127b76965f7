import type { AccessKey } from "../access/access-key.ts";
import { type EngineOptions, startEngine } from "../dynamodb/engine.ts";
import { openTableProxy, type TableProxy } from "../dynamodb/table-proxy.ts";
import { type Emulators, startEmulators } from "../emulators/server.ts";
import type { AccessControl } from "../iam/access-control.ts";
import { openRealtimeGateway, type RealtimeGateway } from "../realtime/gateway.ts";
import { LocalRefusal } from "../support/local-refusal.ts";
import type { Millis } from "../support/time.ts";

/** The replacements of the cloud services. */
export interface Services {
  /** The table's port. The engine itself is reached through it. */
  readonly table: TableProxy;
  readonly emulators: Emulators;
  readonly realtime: RealtimeGateway;
}

export interface ServicesOptions {
  /** 0 selects a free port. */
  readonly ports: { readonly emulators: number; readonly realtime: number };
  readonly folders: { readonly table: string; readonly emulators: string };
  readonly accessKey: AccessKey;
  /** Decides what the callers may do. */
  readonly access: AccessControl;
  readonly now: () => Millis;
  /** The origins whose pages may use the storage. */
  readonly storageOrigins: readonly string[];
  /** The origins whose pages may open sockets. */
  readonly socketOrigins: readonly string[];
  readonly engine: Pick<EngineOptions, "prefer" | "mayBeExposed" | "exposedSetting">;
}

/** Starts all services in parallel. Each registers with `cleanup` as soon as it runs. */
export async function startServices(options: ServicesOptions, cleanup: AsyncDisposableStack): Promise<Services> {
  const { ports, folders, access, now } = options;
  const { accessKeys } = access;
  const starting = [
    startTable(options, cleanup),
    withPortError("the emulators", ports.emulators, (port) =>
      startEmulators({ port, dataDir: folders.emulators, now, accessKeys, access, origins: options.storageOrigins }),
    ).then((emulators) => closeOnExit(emulators, cleanup)),
    withPortError("the WebSocket API", ports.realtime, (port) =>
      openRealtimeGateway({ port, now, accessKeys, access, origins: options.socketOrigins }),
    ).then((realtime) => closeOnExit(realtime, cleanup)),
  ] as const;
  // Thrown after all have settled, so that every part that runs is registered for cleanup.
  await Promise.allSettled(starting);
  const [table, emulators, realtime] = await Promise.all(starting);
  return { table, emulators, realtime };
}

/** Closes a part when the stack ends. */
export function closeOnExit<T extends { close(): Promise<void> }>(part: T, cleanup: AsyncDisposableStack): T {
  cleanup.defer(() => part.close());
  return part;
}

/** Starts what opens a port, and names both if the port is in use. */
export async function withPortError<T>(label: string, port: number, start: (port: number) => Promise<T>): Promise<T> {
  try {
    return await start(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new LocalRefusal(
      `Port ${port} (${label}) is in use. Stop the process that uses it, or choose another --port.`,
    );
  }
}

async function startTable(
  { folders, accessKey, access, engine: settings }: ServicesOptions,
  cleanup: AsyncDisposableStack,
): Promise<TableProxy> {
  const engine = await startEngine({ dataDir: folders.table, accessKeyId: accessKey.id, ...settings });
  closeOnExit(engine, cleanup);
  const options = { port: 0, engine, accessKeys: access.accessKeys, access: { ...access, engineKeyId: accessKey.id } };
  return closeOnExit(await openTableProxy(options), cleanup);
}
