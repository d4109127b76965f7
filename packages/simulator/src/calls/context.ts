import type { ControlToken } from "../../../loopback/src/control-token.ts";
import type { SimulatorHost } from "../host.ts";
import type { Call } from "../http/http-server.ts";
import type { UploadedFiles } from "../media/uploaded-files.ts";
import type { Receivers } from "../receiver/receivers.ts";
import type { ScenarioRuns } from "../scenario/runs.ts";
import type { Deliveries } from "../webhooks/deliveries.ts";
import type { Faults } from "../world/faults.ts";
import type { LoginKind, SecretName, Token } from "../world/model.ts";
import type { World } from "../world/world.ts";
import type { HistoryLimit } from "./history-limit.ts";

export interface Context {
  world: World;
  deliveries: Deliveries;
  faults: Faults;
  uploadedFiles: UploadedFiles;
  /** The scripted receivers. */
  receivers: Receivers;
  scenarios: ScenarioRuns;
  /** The credential of the control routes. */
  controlToken: ControlToken;
  secrets: Record<SecretName, string>;
  /** The ids of the app: the Meta app's for logins of Facebook users, and the Instagram app's. */
  appIds: Record<LoginKind, string>;
  /** The redirect URIs that the app registered; undefined accepts any. */
  redirectUris: readonly string[] | undefined;
  verifyToken: string;
  host: SimulatorHost | undefined;
  webhookBase: string;
  historyLimit: HistoryLimit;
  /** The simulator's origin, available once it listens. */
  url(): string;
  /** The response format of Instagram's code exchange. All of these occur on the real platform. */
  tokenShape: TokenShape;
}

export const tokenShapes = ["wrapped", "flat", "numeric"] as const;
type TokenShape = (typeof tokenShapes)[number];

/** The Graph host that a call was sent to. */
export type GraphHost = "facebook" | "instagram";

/** An authenticated call to a node of the graph: `POST /{node}/messages`, `GET /me`. */
export interface NodeCall {
  host: GraphHost;
  /** The decoded first segment of the path: an id or `me`. */
  node: string;
  token: Token;
  call: Call;
}

/** A parameter from the body or else the query. Graph accepts both. */
export function parameter(call: Call, name: string): string | undefined {
  const value = call.body[name];
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return call.query.get(name) ?? undefined;
}
