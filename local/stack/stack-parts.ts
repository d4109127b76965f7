import type { AccessKey } from "#local-aws/access/access-key.ts";
import type { AccessControl } from "#local-aws/iam/access-control.ts";
import { closeOnExit, type Services, startServices, withPortError } from "#local-aws/run/services.ts";
import type { StackClock } from "#local-aws/support/clock.ts";
import type { ControlToken } from "#loopback/control-token.ts";
import { loopbackOrigins } from "#loopback/loopback-rule.ts";
import type { SimulatorHost } from "#simulator";
import { type Simulator, startSimulator, unconnectedAccounts } from "#simulator";
import type { DataFolder } from "./data-folder.ts";
import type { PlatformSecrets } from "./local-json.ts";
import { demoAccounts } from "./seed.ts";
import { type LocalSettings, type PlatformUrls, platformHosts } from "./settings.ts";
import { workshopAccounts } from "./workshop.ts";

/** The replacements of the cloud services and of the platforms. */
export interface StackParts extends Services {
  /** Absent if the settings name platform URLs. */
  readonly simulator?: Simulator;
  readonly platformUrls: PlatformUrls;
}

export interface StackPartsSettings {
  readonly settings: LocalSettings;
  readonly baseUrl: string;
  readonly accessKey: AccessKey;
  readonly access: AccessControl;
  readonly controlToken: ControlToken;
  readonly secrets: PlatformSecrets;
  readonly clock: StackClock;
  readonly folder: DataFolder;
  readonly host: SimulatorHost;
}

/** Starts all parts in parallel. Each registers with `cleanup` as soon as it runs. */
export async function startParts(options: StackPartsSettings, cleanup: AsyncDisposableStack): Promise<StackParts> {
  const { settings, baseUrl, accessKey, access, clock, folder } = options;
  // The console's pages are the API's own. They upload files, and connect.
  const consoleOrigins = loopbackOrigins(Number(new URL(baseUrl).port));
  const starting = [
    startServices(
      {
        ports: { emulators: portAfter(settings, 2), realtime: portAfter(settings, 3) },
        folders: { table: folder.at("dynamodb"), emulators: folder.at("emulators") },
        accessKey,
        access,
        now: clock.now,
        storageOrigins: consoleOrigins,
        socketOrigins: [...consoleOrigins, ...(settings.origins ?? [])],
        engine: {
          mayBeExposed: settings.exposedEngine ?? false,
          exposedSetting: "Set PARLEY_DYNAMODB_EXPOSED=1",
          ...(settings.engine ? { prefer: settings.engine } : {}),
        },
      },
      cleanup,
    ),
    settings.platformUrls
      ? undefined
      : withPortError("the simulator", portAfter(settings, 1), (port) => startStackSimulator(port, options)).then(
          (simulator) => closeOnExit(simulator, cleanup),
        ),
  ] as const;
  // Thrown after all have settled, so that every part that runs is registered for cleanup.
  await Promise.allSettled(starting);
  const [services, simulator] = await Promise.all(starting);
  if (settings.sqsChaos)
    services.emulators.sqs.chaos({ duplicate: settings.sqsChaos, shuffle: true, random: Math.random });
  const platformUrls = settings.platformUrls ?? simulatorUrls(simulator?.url ?? "");
  return { ...services, platformUrls, ...(simulator ? { simulator } : {}) };
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
    // Without the times of the connections, which the platforms do not know.
    accounts: [...demoAccounts, ...(settings.demo ? workshopAccounts : []), ...unconnectedAccounts].map((account) => ({
      ...account,
    })),
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
