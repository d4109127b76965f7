import { createWriteStream } from "node:fs";
import { printableText } from "../../../loopback/src/printable.ts";
import type { AccessKey } from "../access/access-key.ts";
import { PRIVATE_FILE } from "../access/private-files.ts";
import { type Route, readRoutes } from "../gateway/routes.ts";
import { type EventSourceMapping, readEventSourceMappings } from "../lambda/event-sources.ts";
import { type Functions, openFunctions, readFunctions } from "../lambda/functions.ts";
import { machineBudget } from "../lambda/sandbox-budget.ts";
import type { SandboxHost } from "../lambda/sandbox-messages.ts";
import { readSchedules, type Schedule } from "../lambda/schedules.ts";
import { provision } from "../provision/provision.ts";
import { type Clients, closeClients, openClients } from "../provision/provision-context.ts";
import { openProvisionState } from "../provision/provision-state.ts";
import { readSocketApi, type SocketApi } from "../realtime/routes.ts";
import type { StackClock } from "../support/clock.ts";
import { Resolver } from "../template/intrinsics.ts";
import { type Assembly, listResources } from "../template/template.ts";
import { checkType } from "../template/types.ts";
import type { Services } from "./services.ts";

/** The resources of a template, and its functions, which are not loaded yet. */
export interface Deployment {
  readonly functions: Functions;
  readonly clients: Clients;
  readonly mappings: readonly EventSourceMapping[];
  readonly routes: readonly Route[];
  readonly schedules: readonly Schedule[];
  /** Null without a WebSocket API. */
  readonly socketApi: SocketApi | null;
  /** The combined variables of all functions: they locate the template's tables, keys, queues and secrets. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface DeploymentOptions {
  readonly services: Services;
  readonly accessKey: AccessKey;
  readonly clock: StackClock;
  /** The URL of the HTTP API. */
  readonly baseUrl: string;
  /** `provisioned`: the ids of the resources. `log`: the output of the functions. */
  readonly files: { readonly provisioned: string; readonly log: string };
  /** New values for variables that the template sets. The endpoint of connections is null without a WebSocket API. */
  readonly variables: (connectionsEndpoint: string | null) => Readonly<Record<string, string>>;
  readonly host: SandboxHost;
  /** How many invocations of all functions may run at the same time. */
  readonly concurrencyMax?: number | undefined;
}

/** Creates the resources of the templates and opens their functions. Throws a LocalRefusal for what cannot run here. */
export async function deploy(
  assembly: Assembly,
  options: DeploymentOptions,
  cleanup: AsyncDisposableStack,
): Promise<Deployment> {
  const { services, accessKey, clock, baseUrl, files } = options;
  for (const placed of listResources(assembly)) checkType(placed);
  const declarations = readFunctions(assembly);
  const resolver = new Resolver(assembly);
  const clients = openClients({
    endpoint: services.emulators.url,
    dynamodbEndpoint: services.table.url,
    accessKey,
  });
  cleanup.defer(() => closeClients(clients));
  await provision(assembly, {
    clients,
    resolver,
    functions: declarations,
    baseUrl,
    socketUrl: services.realtime.origin.replace(/^http/, "ws"),
    ...openProvisionState(files.provisioned),
  });
  const socketApi = readSocketApi(assembly, resolver, declarations);
  const log = createWriteStream(files.log, { mode: PRIVATE_FILE });
  cleanup.defer(() => new Promise<void>((resolve) => log.end(resolve)));
  const functions = openFunctions(declarations, resolver, {
    extraVariables: { AWS_ENDPOINT_URL: services.emulators.url, AWS_ENDPOINT_URL_DYNAMODB: services.table.url },
    variableOverrides: options.variables(socketApi && `${services.realtime.origin}/${socketApi.stage}`),
    accessKey,
    clock: clock.shared,
    host: options.host,
    budget: machineBudget(),
    concurrencyMax: options.concurrencyMax,
    log: (chunk) => {
      if (!log.writableEnded) log.write(printableText(chunk.toString()));
    },
  });
  cleanup.defer(functions.close);
  return {
    functions,
    clients,
    mappings: readEventSourceMappings(assembly, resolver, declarations),
    routes: readRoutes(assembly, resolver, declarations),
    schedules: readSchedules(assembly, resolver, declarations),
    socketApi,
    environment: Object.assign({}, ...functions.ids.map(functions.environment)) as Record<string, string>,
  };
}
