import { rmSync } from "node:fs";
import { env } from "#base/config/names.ts";
import { type Reason, toHttpError } from "#base/kernel/refusals.ts";
import { RUNTIME_OVERRIDES } from "#base/kernel/runtime.ts";
import { HOUR, type Millis, SECOND } from "#base/kernel/time.ts";
import { loadAccessKey } from "#local-aws/access/access-key.ts";
import { loadControlToken } from "#local-aws/access/control-token.ts";
import { isLoopback, listeningSockets } from "#local-aws/access/listening-sockets.ts";
import { makePrivate } from "#local-aws/access/private-files.ts";
import type { Sqs } from "#local-aws/emulators/sqs/service.ts";
import { openGateway } from "#local-aws/gateway/gateway.ts";
import { openAccess } from "#local-aws/iam/access-control.ts";
import { setSecretValue } from "#local-aws/provision/secrets.ts";
import type { RealtimeGateway } from "#local-aws/realtime/gateway.ts";
import { writeAwsConfig } from "#local-aws/run/aws-config.ts";
import { startClosable } from "#local-aws/run/closing.ts";
import { deploy } from "#local-aws/run/deployment.ts";
import { operate } from "#local-aws/run/operation.ts";
import { writeFileAtomic } from "#local-aws/support/atomic-write.ts";
import { openClock } from "#local-aws/support/clock.ts";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { type Assembly, readAssembly } from "#local-aws/template/template.ts";
import { printError } from "#loopback/terminal.ts";
import { playDemo } from "../demo/play.ts";
import { synthesizeInto } from "../template/synthesis.ts";
import { type DataFolder, lockDataFolder } from "./data-folder.ts";
import { functionVariables } from "./function-variables.ts";
import { describeStack, type LocalJson, writeLocalJson } from "./local-json.ts";
import { demoAccounts, type SeedAccount, type SeedPorts, type SeedState, seed } from "./seed.ts";
import type { SeedContext } from "./seed-ports.ts";
import { type LocalSettings, platformHosts } from "./settings.ts";
import { loadPlatformSecrets } from "./settings-secrets.ts";
import { createStackHost } from "./simulator-host.ts";
import { startParts } from "./stack-parts.ts";
import { workshopAccounts } from "./workshop.ts";

export interface StackSettings extends LocalSettings {
  /** A cloud assembly to run instead of synthesizing one. */
  readonly assembly?: string;
  /** Opens the ports that create the demo workspace. Absent: nothing is seeded. */
  readonly seedPorts?: (context: SeedContext) => SeedPorts;
  /** Aborting it while the stack starts stops every started part, and `startStack` rejects. */
  readonly signal?: AbortSignal;
  /** Receives each step of the start as it begins, such as `Load 9 functions`. Default: none. */
  readonly progress?: (step: string) => void;
  /** True if this process runs nothing but the stack: then a port of it that other machines can reach ends the start. */
  readonly ownsProcess?: boolean;
  /** Receives a line for each error while running. Default: stderr. */
  readonly report?: (line: string) => void;
}

/** A running local stack. */
export interface Stack {
  readonly baseUrl: string;
  /** Absent if the settings name platform URLs. */
  readonly simulatorUrl?: string;
  readonly dataDir: string;
  /** The content of `local.json` in the data folder. */
  readonly local: LocalJson;
  /** The SQS emulator: its counts and its fault settings. */
  readonly sqs: Sqs;
  /** The WebSocket API: its counts and the fault settings of its management API. */
  readonly realtime: Pick<RealtimeGateway, "counts" | "connectionCount" | "faults">;
  /** Invokes a function with an event, as an event source does. Throws FunctionFailed. */
  invoke(functionId: string, event: unknown): Promise<unknown>;
  /** Advances the clock and resolves when every schedule that is then due has run. */
  advanceClock(by: Millis): Promise<void>;
  /** The environment of a function. */
  env(functionId: string): Readonly<Record<string, string>>;
  /** Stops every started part. */
  close(): Promise<void>;
}

type Report = (line: string) => void;

/** The console's origin in the templates. The local stack replaces it with its own, whose port is not known before. */
const CONSOLE_PLACEHOLDER = "https://console.invalid";

const HEALTH_MAX_MS = 20_000;

/**
 * Creates the resources of the template and runs its functions. Throws a LocalRefusal, with every started part stopped,
 * if a port or the data folder is in use or the template needs something the local stack does not have.
 */
export async function startStack(settings: StackSettings): Promise<Stack> {
  const report = settings.report ?? printError;
  return await startClosable((cleanup) => start(settings, cleanup, report), report);
}

async function start(
  settings: StackSettings,
  cleanup: AsyncDisposableStack,
  report: Report,
): Promise<Omit<Stack, "close">> {
  const { signal = new AbortController().signal, progress = () => {} } = settings;
  const folder = lockDataFolder(settings.dataDir, settings.fresh);
  cleanup.defer(folder.release);
  // A killed stack leaves its file behind. Readers take the file as a sign that this stack is ready.
  const localJson = folder.at("local.json");
  rmSync(localJson, { force: true });
  const accessKey = loadAccessKey(folder.at("aws-credentials"));
  const controlToken = loadControlToken(folder.at("control-token"));
  const gateway = await openGateway(settings.port, settings.origins, failureBody("method_not_allowed"));
  cleanup.defer(gateway.close);

  progress("Start the table, the emulators and the simulator");
  const clock = openClock(folder.path);
  const secrets = loadPlatformSecrets(settings, folder.at("platform-secrets.json"));
  const access = openAccess({
    isStrict: settings.strictIam ?? false,
    accessKey,
    file: folder.at("access.jsonl"),
    report,
  });
  const host = createStackHost();
  const [assembly, parts] = await settleBoth(
    loadAssembly({ ...settings, progress }, folder, signal),
    startParts(
      { settings, baseUrl: gateway.url, accessKey, access, controlToken, secrets, clock, folder, host },
      cleanup,
    ),
  );
  signal.throwIfAborted();
  if (settings.ownsProcess) refuseExposedPorts();

  progress("Create the resources of the templates");
  const deployment = await deploy(
    assembly,
    {
      services: parts,
      accessKey,
      access,
      clock,
      baseUrl: gateway.url,
      files: { provisioned: folder.at("provisioned.json"), log: folder.at("functions.log") },
      variables: (connectionsEndpoint) =>
        functionVariables({
          settings,
          platformUrls: parts.platformUrls,
          baseUrl: gateway.url,
          storageUrl: parts.emulators.url,
          simulatorUrl: parts.simulator?.url ?? null,
          connectionsEndpoint,
        }),
      host: { symbol: RUNTIME_OVERRIDES, values: { openEgress: !settings.strictEgress } },
      concurrencyMax: settings.concurrency,
    },
    cleanup,
  );
  const { functions, clients, environment } = deployment;
  const platformSecret = environment[env.platformSecretId];
  if (platformSecret) await setSecretValue(clients, platformSecret, JSON.stringify(secrets));
  // The admin commands read it to access the table of the running stack.
  const environmentJson = folder.at("environment.json");
  writeFileAtomic(environmentJson, JSON.stringify(environment));
  cleanup.defer(() => rmSync(environmentJson, { force: true }));
  const awsConfig = folder.at("aws-config");
  writeAwsConfig(awsConfig, { services: parts.emulators.url, table: parts.table.url });
  cleanup.defer(() => rmSync(awsConfig, { force: true }));
  const ports = settings.seedPorts?.({ environment, now: clock.now });
  // Loaded before the first message and request: the first of each function would otherwise wait for it.
  progress(`Load ${functions.ids.length} functions`);
  const loading = functions.load();
  const seeding: Promise<SeedState> = ports
    ? seed(
        folder.at("seed.json"),
        ports,
        accountsToSeed(settings, { simulatorUrl: parts.simulator?.url, now: clock.now() }),
      )
    : Promise.resolve({});
  const [seedState] = await settleBoth(seeding, loading);
  signal.throwIfAborted();

  const advance = operate(
    {
      deployment,
      services: parts,
      gateway,
      clock,
      controlToken,
      report,
      onClockAdvance: async () => await parts.simulator?.setClock(clock.offset()),
    },
    cleanup,
  );
  if (deployment.routes.length > 0) await awaitHealth(gateway.url, signal);

  // A test key reads what a live key reads, and leaves the live key's request rate to the developer.
  host.connect({ baseUrl: gateway.url, key: seedState.test_key, liveKey: seedState.live_key, advanceClock: advance });
  const { tenant, live_key: liveKey } = seedState;
  if (settings.demo && ports && parts.simulator && tenant && liveKey) {
    progress("Play the conversations of the demo");
    await playDemo({
      baseUrl: gateway.url,
      simulatorUrl: parts.simulator.url,
      controlToken: controlToken.value,
      tenant,
      liveKey,
      accounts: workshopAccounts,
      createSignInLink: ports.createSignInLink,
      now: clock.now,
      hasLoopbackEndpoints: !settings.strictEgress,
      signal,
    });
  }
  const local = describeStack({
    baseUrl: gateway.url,
    wsUrl: environment[env.realtimeUrl],
    simulatorUrl: parts.simulator?.url,
    controlToken: controlToken.value,
    signInUrl: await ports?.createSignInLink(),
    seedState,
    secrets,
  });
  writeLocalJson(localJson, local);
  cleanup.defer(() => rmSync(localJson, { force: true }));
  return {
    baseUrl: gateway.url,
    ...(parts.simulator ? { simulatorUrl: parts.simulator.url } : {}),
    dataDir: folder.path,
    local,
    sqs: parts.emulators.sqs,
    realtime: parts.realtime,
    invoke: functions.invoke,
    advanceClock: advance,
    env: functions.environment,
  };
}

/** As long as the pictures that the simulator itself names. */
const PICTURE_LIFE: Millis = 36 * HOUR;

/** @param simulatorUrl of the simulator, which serves the accounts' pictures; undefined without one */
function accountsToSeed(
  { seedAccounts, demo }: Pick<LocalSettings, "seedAccounts" | "demo">,
  { simulatorUrl, now }: { readonly simulatorUrl: string | undefined; readonly now: Millis },
): readonly SeedAccount[] {
  if (!seedAccounts) return [];
  const accounts = demo ? [...demoAccounts, ...workshopAccounts] : demoAccounts;
  if (simulatorUrl === undefined) return accounts;
  const end = Math.floor((now + PICTURE_LIFE) / SECOND).toString(16);
  const pictureUrl = (externalId: string) => `${simulatorUrl}/media/account-${externalId}.png?oe=${end}`;
  return accounts.map((account) => ({ ...account, pictureUrl: pictureUrl(account.externalId) }));
}

/** Also a port that Node.js opens, such as that of its debugger. */
function refuseExposedPorts(): void {
  const exposed = (listeningSockets(process.pid) ?? []).filter(({ address }) => !isLoopback(address));
  if (exposed.length === 0) return;
  const addresses = exposed.map(({ address, port }) => `${address} port ${port}`).join(", ");
  throw new LocalRefusal(
    `This process listens on ${addresses}, where other machines may reach it. Start it without that port.`,
  );
}

/** Resolves with both results. Waits for both even if one fails, so that no work continues after the failure. */
async function settleBoth<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

async function loadAssembly(settings: StackSettings, folder: DataFolder, signal: AbortSignal): Promise<Assembly> {
  if (settings.assembly !== undefined) return readAssembly(settings.assembly);
  const outdir = folder.at("cdk.out");
  const onMiss = () =>
    settings.progress?.("Synthesize the templates and bundle the functions: the first start, or a source has changed");
  const context = assemblyContext(settings);
  await synthesizeInto({ outdir, context, useCache: !settings.fresh, onMiss }, signal);
  makePrivate(outdir);
  return readAssembly(outdir);
}

/** The failure envelope of the API, for what its routes do not answer. */
function failureBody(reason: Reason): string {
  const { code, message } = toHttpError(reason);
  return JSON.stringify({ ok: false, error: { code, message, detail: "" } });
}

/** The CDK context that a local stack's assembly is synthesized with. */
export function assemblyContext({
  siteUrl,
  openSignUp = false,
  isSmall = false,
}: Pick<LocalSettings, "siteUrl" | "openSignUp" | "isSmall"> = {}): Record<string, string> {
  // Placeholders: the template declares the variables, and the stack sets its own values at run time.
  const hosts = Object.fromEntries(platformHosts.map((host) => [host, `https://${host.replace("_", "-")}.invalid`]));
  return {
    "parley:platformUrls": JSON.stringify(hosts),
    "parley:consoleUrl": CONSOLE_PLACEHOLDER,
    "parley:metaAppId": "1",
    "parley:instagramAppId": "1",
    // Mails are not sent. GET /_local/mail lists them.
    "parley:mailFrom": "parley@local.test",
    ...(siteUrl ? { "parley:siteUrl": siteUrl } : {}),
    ...(openSignUp ? { "parley:signUp": "open" } : {}),
    ...(isSmall ? { "parley:size": "small" } : {}),
  };
}

async function awaitHealth(baseUrl: string, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.timeout(HEALTH_MAX_MS);
  const response = await fetch(`${baseUrl}/health`, { signal: AbortSignal.any([signal, limit]) });
  const body = await response.text();
  if (response.status === 200) return;
  throw new LocalRefusal(`GET /health returned ${response.status} ${body}. See functions.log in the data folder.`);
}
