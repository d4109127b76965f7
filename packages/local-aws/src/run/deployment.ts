import { createWriteStream } from "node:fs";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { printableText } from "../../../loopback/src/printable.ts";
import { type AccessKey, toVariables } from "../access/access-key.ts";
import { PRIVATE_FILE } from "../access/private-files.ts";
import { type Route, readRoutes } from "../gateway/routes.ts";
import type { AccessControl } from "../iam/access-control.ts";
import { type EventSourceMapping, readEventSourceMappings } from "../lambda/event-sources.ts";
import { type Functions, openFunctions, readFunctions } from "../lambda/functions.ts";
import { machineBudget } from "../lambda/sandbox-budget.ts";
import type { SandboxHost } from "../lambda/sandbox-messages.ts";
import { readSchedules, type Schedule } from "../lambda/schedules.ts";
import { provision } from "../provision/provision.ts";
import { type Clients, closeClients, openClients, openQueueClient } from "../provision/provision-context.ts";
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
  /** The client that polls the queues of a function: with its role, as Lambda polls them. */
  queueClient(functionId: string): SQSClient;
  readonly mappings: readonly EventSourceMapping[];
  readonly routes: readonly Route[];
  readonly schedules: readonly Schedule[];
  /** Null without a WebSocket API. */
  readonly socketApi: SocketApi | null;
  /** The combined variables of all functions: they locate the tables, keys, queues and secrets. The key is the stack's. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface DeploymentOptions {
  readonly services: Services;
  readonly accessKey: AccessKey;
  /** Gives the functions their keys. */
  readonly access: AccessControl;
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
  const { services, accessKey, access, clock, baseUrl, files } = options;
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
  access.readRoles(assembly, resolver, declarations);
  const socketApi = readSocketApi(assembly, resolver, declarations);
  const log = createWriteStream(files.log, { mode: PRIVATE_FILE });
  cleanup.defer(() => new Promise<void>((resolve) => log.end(resolve)));
  const functions = openFunctions(declarations, resolver, {
    extraVariables: {
      AWS_ENDPOINT_URL: services.emulators.url,
      AWS_ENDPOINT_URL_DYNAMODB: services.table.functionsUrl,
    },
    variableOverrides: options.variables(socketApi && `${services.realtime.origin}/${socketApi.stage}`),
    accessKeyOf: access.keyOf,
    clock: clock.shared,
    host: options.host,
    budget: machineBudget(),
    concurrencyMax: options.concurrencyMax,
    log: (chunk) => {
      if (!log.writableEnded) log.write(printableText(chunk.toString()));
    },
  });
  cleanup.defer(functions.close);
  const queueClients = new Map<string, SQSClient>();
  cleanup.defer(() => {
    for (const client of queueClients.values()) client.destroy();
  });
  return {
    functions,
    clients,
    queueClient(functionId) {
      const key = access.keyOf(functionId);
      const client = queueClients.get(key.id) ?? openQueueClient({ endpoint: services.emulators.url, accessKey: key });
      queueClients.set(key.id, client);
      return client;
    },
    mappings: readEventSourceMappings(assembly, resolver, declarations),
    routes: readRoutes(assembly, resolver, declarations),
    schedules: readSchedules(assembly, resolver, declarations),
    socketApi,
    environment: Object.assign({}, ...functions.ids.map(functions.environment), toVariables(accessKey), {
      AWS_ENDPOINT_URL_DYNAMODB: services.table.url,
    }) as Record<string, string>,
  };
}
