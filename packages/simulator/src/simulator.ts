import type { ControlToken } from "../../loopback/src/control-token.ts";
import { withoutEndSlashes } from "../../loopback/src/urls.ts";
import type { Context } from "./calls/context.ts";
import { HistoryLimit } from "./calls/history-limit.ts";
import { setClockOffset } from "./control/conditions.ts";
import { control } from "./control/control.ts";
import { exchangeCode, graph } from "./graph/graph.ts";
import type { SimulatorHost } from "./host.ts";
import { type Call, type HttpOutcome, json, listen } from "./http/http-server.ts";
import { login } from "./login/authorize.ts";
import { sampleMedia } from "./media/sample-media.ts";
import { UploadedFiles } from "./media/uploaded-files.ts";
import { servePage } from "./page-files.ts";
import { Receivers } from "./receiver/receivers.ts";
import { ScenarioRuns } from "./scenario/runs.ts";
import { Deliveries } from "./webhooks/deliveries.ts";
import { simulatedAppIds } from "./world/app-ids.ts";
import { Faults } from "./world/faults.ts";
import { emptyState, type SeedAccount } from "./world/model.ts";
import { addSeedAccounts, exampleAccounts, unconnectedAccounts } from "./world/seed.ts";
import { readState } from "./world/state-file.ts";
import { World } from "./world/world.ts";

export interface SimulatorOptions {
  /** The port on 127.0.0.1; 0 selects a free port. */
  port: number;
  /** The base URL of the webhooks: `<base>/webhooks/instagram` and `<base>/webhooks/messenger`. */
  webhookBase: string;
  /** Signs webhooks of Pages and of Instagram accounts on a Page. */
  metaSecret: string;
  /** Signs webhooks of Instagram accounts connected with Instagram Login. */
  instagramSecret: string;
  /** The verify token that the receiver must know. */
  verifyToken: string;
  /** The credential of the control routes, `/_sim`. The page's owner opens it with this token. */
  controlToken: ControlToken;
  /** A JSON file that stores people, threads, tokens and pending webhooks between runs. Unset: nothing is stored. */
  statePath?: string;
  /** The accounts of the platforms. Unset: a connected example of each connection, and some to connect by login. */
  accounts?: SeedAccount[];
  /** The app's id. At most 15 digits, because Messenger's echoes carry it as a number. */
  appId?: string;
  /** The app's id for Instagram Login, which differs from `appId`. */
  instagramAppId?: string;
  /** The redirect URIs that a login accepts. Unset: any http or https URL. */
  redirectUris?: readonly string[];
  /** The program that the simulator runs in. Unset: the simulator runs alone. */
  host?: SimulatorHost;
}

export interface Simulator {
  /** The origin, such as `http://127.0.0.1:4100`. Each platform host is a folder below it. */
  url: string;
  /** Sets the simulator's clock to `offset` milliseconds ahead of the real time. */
  setClock(offset: number): Promise<void>;
  close(): Promise<void>;
}

type Page = (path: string) => Promise<HttpOutcome> | undefined;
type Host = (context: Context, path: string, call: Call) => Promise<HttpOutcome>;

const notFound = json(404, { error: "nothing is served here" });

const isPageCall = ({ method }: Call): boolean => method === "GET" || method === "POST";

const hosts: Record<string, Host> = {
  facebook_graph: (context, path, call) => graph(context, "facebook", path, call),
  instagram_graph: (context, path, call) => graph(context, "instagram", path, call),
  instagram_api: async (context, path, call) =>
    call.method === "POST" && path === "/oauth/access_token" ? exchangeCode(context, call) : notFound,
  instagram_www: async (context, path, call) =>
    isPageCall(call) && path === "/oauth/authorize" ? login(context, call, "instagram_user") : notFound,
  facebook_www: async (context, path, call) =>
    isPageCall(call) && /^(\/v\d+\.\d+)?\/dialog\/oauth$/.test(path) ? login(context, call, "user") : notFound,
  _sim: control,
  receivers: async ({ receivers }, _path, call) => (await receivers.handle(call)) ?? notFound,
};

/** The time at which a picture's URL expires (simulator clock, ms); Infinity if it has no expiry. */
function pictureExpiry({ query }: Call): number {
  const [oe, ext] = [query.get("oe"), query.get("ext")];
  if (oe !== null) return Number.parseInt(oe, 16) * 1_000;
  return ext === null ? Number.POSITIVE_INFINITY : Number(ext) * 1_000;
}

async function dispatch(context: Context, page: Page, call: Call): Promise<HttpOutcome> {
  const [, first = "", rest = ""] = /^\/([^/]*)(\/.*)?$/.exec(call.path) ?? [];
  const host = Object.hasOwn(hosts, first) ? hosts[first] : undefined;
  if (host !== undefined) return host(context, rest, call);
  if (call.method !== "GET" && call.method !== "HEAD") return notFound;
  const uploaded = context.uploadedFiles.serve(call.path);
  if (uploaded !== null) return uploaded;
  const media = sampleMedia(call.path);
  if (media !== null) {
    if (pictureExpiry(call) <= context.world.now()) return { status: 403, headers: {}, body: "URL signature expired" };
    return {
      status: 200,
      headers: { "Content-Type": media.type, "Cache-Control": "max-age=86400" },
      body: media.content(),
    };
  }
  return page(call.path) ?? notFound;
}

/**
 * Starts the simulated platforms: their Graph hosts, login pages, webhooks, control routes and the chat page.
 * Throws if the port is in use or the state file is not a simulator state.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { port, verifyToken, statePath, appId = simulatedAppIds.meta } = options;
  const { instagramAppId = simulatedAppIds.instagram, redirectUris } = options;
  const { accounts = [...exampleAccounts, ...unconnectedAccounts] } = options;
  if (!/^\d{1,15}$/.test(appId)) throw new Error("appId must be a number of at most 15 digits");
  const webhookBase = withoutEndSlashes(options.webhookBase);
  const secrets = { meta: options.metaSecret, instagram: options.instagramSecret };
  const stored = statePath === undefined ? emptyState() : await readState(statePath);
  const world = new World(addSeedAccounts(stored, accounts, Date.now() + stored.clockOffsetMs), appId, statePath);
  await world.save();

  const deliveries = new Deliveries(world, { webhookBase, secrets });
  let url = "";
  const context: Context = {
    world,
    deliveries,
    faults: new Faults(),
    uploadedFiles: new UploadedFiles(),
    receivers: new Receivers(world),
    scenarios: new ScenarioRuns(world),
    controlToken: options.controlToken,
    secrets,
    appIds: { user: appId, instagram_user: instagramAppId },
    redirectUris,
    verifyToken,
    historyLimit: new HistoryLimit(),
    host: options.host,
    webhookBase,
    url: () => url,
    tokenShape: "wrapped",
  };
  const page = servePage();
  const listening = await listen(port, (call) => dispatch(context, page, call));
  url = listening.origin;
  deliveries.start();

  return {
    url,
    setClock: (offset) => setClockOffset(context, offset),
    async close() {
      context.scenarios.stop();
      const closed = listening.close();
      await deliveries.close();
      await closed;
      await world.save();
    },
  };
}
