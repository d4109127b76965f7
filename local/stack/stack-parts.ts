import { type AccessKey, toAccessKeys } from "#local-aws/access/access-key.ts";
import { startEngine } from "#local-aws/dynamodb/engine.ts";
import { openTableProxy, type TableProxy } from "#local-aws/dynamodb/table-proxy.ts";
import { type Emulators, startEmulators } from "#local-aws/emulators/server.ts";
import { openRealtimeGateway, type RealtimeGateway } from "#local-aws/realtime/gateway.ts";
import type { StackClock } from "#local-aws/support/clock.ts";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import type { ControlToken } from "#loopback/control-token.ts";
import { loopbackOrigins } from "#loopback/loopback-rule.ts";
import type { SimulatorHost } from "#simulator";
import { type Simulator, startSimulator, unconnectedAccounts } from "#simulator";
import type { DataFolder } from "./data-folder.ts";
import type { PlatformSecrets } from "./local-json.ts";
import { demoAccounts } from "./seed.ts";
import { type LocalSettings, type PlatformUrls, platformHosts } from "./settings.ts";

/** The replacements of the cloud services and of the platforms. */
export interface StackParts {
  /** The table's port. The engine itself is reached through it. */
  readonly table: TableProxy;
  readonly emulators: Emulators;
  readonly realtime: RealtimeGateway;
  /** Absent if the settings name platform URLs. */
  readonly simulator?: Simulator;
  readonly platformUrls: PlatformUrls;
}

export interface StackPartsSettings {
  readonly settings: LocalSettings;
  readonly baseUrl: string;
  readonly accessKey: AccessKey;
  readonly controlToken: ControlToken;
  readonly secrets: PlatformSecrets;
  readonly clock: StackClock;
  readonly folder: DataFolder;
  readonly host: SimulatorHost;
}

/** Starts all parts in parallel. Each registers with `cleanup` as soon as it runs. */
export async function startParts(options: StackPartsSettings, cleanup: AsyncDisposableStack): Promise<StackParts> {
  const { settings, baseUrl, accessKey, clock, folder } = options;
  const accessKeys = toAccessKeys(accessKey);
  // The console's pages are the API's own. They upload files, and connect.
  const consoleOrigins = loopbackOrigins(Number(new URL(baseUrl).port));
  const results = await Promise.allSettled([
    startTable(options, cleanup),
    withPortError("the emulators", portAfter(settings, 2), (port) =>
      startEmulators({
        port,
        dataDir: folder.at("emulators"),
        now: clock.now,
        accessKeys,
        origins: consoleOrigins,
      }),
    ).then((emulators) => closeOnExit(emulators, cleanup)),
    withPortError("the WebSocket API", portAfter(settings, 3), (port) =>
      openRealtimeGateway({
        port,
        now: clock.now,
        accessKeys,
        origins: [...consoleOrigins, ...(settings.origins ?? [])],
      }),
    ).then((realtime) => closeOnExit(realtime, cleanup)),
    settings.platformUrls
      ? undefined
      : withPortError("the simulator", portAfter(settings, 1), (port) => startStackSimulator(port, options)).then(
          (simulator) => closeOnExit(simulator, cleanup),
        ),
  ]);
  // Thrown after all have settled, so that every part that runs is registered for cleanup.
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
  const [table, emulators, realtime, simulator] = results.map((one) => one.status === "fulfilled" && one.value) as [
    TableProxy,
    Emulators,
    RealtimeGateway,
    Simulator | undefined,
  ];
  if (settings.sqsChaos) emulators.sqs.chaos({ duplicate: settings.sqsChaos, shuffle: true, random: Math.random });
  const platformUrls = settings.platformUrls ?? simulatorUrls(simulator?.url ?? "");
  return { table, emulators, realtime, platformUrls, ...(simulator ? { simulator } : {}) };
}

async function startTable(
  { settings, accessKey, folder }: StackPartsSettings,
  cleanup: AsyncDisposableStack,
): Promise<TableProxy> {
  const engine = await startEngine({
    dataDir: folder.at("dynamodb"),
    accessKeyId: accessKey.id,
    mayBeExposed: settings.exposedEngine ?? false,
    exposedSetting: "Set PARLEY_DYNAMODB_EXPOSED=1",
    ...(settings.engine ? { prefer: settings.engine } : {}),
  });
  closeOnExit(engine, cleanup);
  return closeOnExit(await openTableProxy({ port: 0, engine, accessKeys: toAccessKeys(accessKey) }), cleanup);
}

function closeOnExit<T extends { close(): Promise<void> }>(part: T, cleanup: AsyncDisposableStack): T {
  cleanup.defer(() => part.close());
  return part;
}

async function startStackSimulator(
  port: number,
  { settings, baseUrl, controlToken, secrets, clock, folder, host }: StackPartsSettings,
): Promise<Simulator> {
  const simulator = await startSimulator({
    port,
    webhookBase: baseUrl,
    metaSecret: secrets.meta,
    instagramSecret: secrets.instagram,
    verifyToken: secrets.verify_token,
    controlToken,
    statePath: folder.at("simulator.json"),
    ...(settings.metaAppId ? { appId: settings.metaAppId } : {}),
    ...(settings.instagramAppId ? { instagramAppId: settings.instagramAppId } : {}),
    accounts: [...demoAccounts, ...unconnectedAccounts].map((account) => ({ ...account })),
    host,
  });
  try {
    await simulator.setClock(clock.offset());
  } catch (error) {
    await simulator.close();
    throw error;
  }
  return simulator;
}

/** The simulator serves every host on one port, each under its name. */
function simulatorUrls(url: string): PlatformUrls {
  return Object.fromEntries(platformHosts.map((host) => [host, `${url}/${host}`])) as unknown as PlatformUrls;
}

function portAfter({ port }: LocalSettings, step: number): number {
  return port === 0 ? 0 : port + step;
}

async function withPortError<T>(label: string, port: number, start: (port: number) => Promise<T>): Promise<T> {
  try {
    return await start(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new LocalRefusal(
      `Port ${port} (${label}) is in use. Stop the process that uses it, or choose another --port.`,
    );
  }
}
