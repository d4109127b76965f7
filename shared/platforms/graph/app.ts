import type { CallFailure } from "./account-platform.ts";
import { appSecretProof } from "./app-secret-proof.ts";
import { callGraph, readAccountId, readFieldNames } from "./graph-call.ts";
import type { PlatformHttp } from "./http.ts";
import { asObject, type JsonObject } from "./json.ts";
import type { Upstream } from "./platform.ts";

/** What a call as the Meta app needs. */
export interface AppPorts {
  readonly upstream: Pick<Upstream, "facebookGraph" | "graphVersion">;
  readonly http: PlatformHttp;
  readonly appId: string;
  readonly appSecret: string;
}

/** The webhooks of the app for one kind of object. */
export interface AppSubscription {
  /** Such as `page`. */
  readonly object: string;
  readonly callbackUrl: string;
  readonly isActive: boolean;
  readonly fields: readonly string[];
}

/** Reads the app as itself: one call, which the platform refuses unless its id and its secret belong together. */
export async function readApp(ports: AppPorts): Promise<{ readonly kind: "read" } | CallFailure> {
  return callAsApp(ports, "", ({ id }) => (readAccountId(id) === ports.appId ? { kind: "read" } : null));
}

/** Reads the callback URLs of the app and the fields that they get. One call. */
export async function readAppSubscriptions(
  ports: AppPorts,
): Promise<{ readonly kind: "read"; readonly subscriptions: readonly AppSubscription[] } | CallFailure> {
  return callAsApp(ports, "/subscriptions", ({ data }) => {
    if (!Array.isArray(data)) return null;
    return { kind: "read", subscriptions: data.map(asObject).map(toSubscription) };
  });
}

function toSubscription(row: JsonObject | null): AppSubscription {
  const { object, callback_url: callbackUrl, active, fields } = row ?? {};
  return {
    object: String(object),
    callbackUrl: String(callbackUrl),
    isActive: active !== false,
    fields: [...readFieldNames(fields)].map(String),
  };
}

function callAsApp<Result>(
  { upstream, http, appId, appSecret }: AppPorts,
  edge: "" | "/subscriptions",
  read: (body: JsonObject) => Result | null,
): Promise<Result | CallFailure> {
  const token = `${appId}|${appSecret}`;
  const url = `${upstream.facebookGraph}/${upstream.graphVersion}/${encodeURIComponent(appId)}${edge}`;
  const query = appSecretProof(appSecret, token);
  return callGraph(http, { method: "GET", url, token, query }, read);
}
