import * as z from "zod/mini";
import type { PlatformSecrets, ReadSecret } from "#base/aws/secrets.ts";
import type { PageFile } from "#base/files/page-file.ts";
import { SIGNED_REQUEST_AGE_MAX, SIGNED_REQUEST_AHEAD_MAX } from "#base/kernel/limits.ts";
import { invalidField, isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { pageFileEndpoints } from "#http/browser/page-files.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { HttpResponse } from "#http/http-response.ts";
import { tryTwice } from "#http/platform-secrets.ts";
import { readParameters } from "#http/request.ts";
import { deauthorize } from "../flows/platform-callbacks/deauthorize.ts";
import { deleteData } from "../flows/platform-callbacks/delete-data.ts";
import type {
  DeauthorizePorts,
  DeleteDataPorts,
  PlatformRequest,
  SignedRequestPorts,
} from "../flows/platform-callbacks/ports.ts";
import { type ReadDeletionPorts, readDataDeletion } from "../flows/platform-callbacks/read-deletion.ts";
import { dataDeletionPage } from "./data-deletion-page.ts";

export type PlatformCallbackPorts = DeauthorizePorts &
  DeleteDataPorts &
  ReadDeletionPorts &
  SignedRequestPorts & {
    readonly platformSecrets: ReadSecret<PlatformSecrets>;
    /** The public URL of the API. */
    readonly baseUrl: string;
    /** By path. */
    readonly pageFiles: ReadonlyMap<string, PageFile>;
  };

const endpoint = endpointsFor<PlatformCallbackPorts>();
const tag = "Platform callbacks";
/** A form with one signed request, which is about 200 characters long. */
const FORM_BYTES_MAX = 16 * 1024;

const platformRequest = {
  method: "POST",
  tag,
  body: "bytes",
  rawBody: {
    type: "application/x-www-form-urlencoded",
    schema: z.object({
      signed_request: z.string().check(z.describe("A signature and a payload, each in base64url, joined by a dot.")),
    }),
  },
  bodyBytesMax: FORM_BYTES_MAX,
  envelope: false,
  refusals: ["signed_request_invalid"],
} as const;

const receiveDeauthorization = endpoint.public({
  ...platformRequest,
  operation: "receiveDeauthorization",
  path: "/platform/deauthorize",
  summary: "Receive the removal of the app",
  data: () => z.object({}),
  handle: async ({ body, now, ports }) => {
    const request = await readRequest(ports, body, now);
    if (isRefusal(request)) return request;
    await deauthorize(ports, request);
    return HttpResponse.json({});
  },
});

const requestDataDeletion = endpoint.public({
  ...platformRequest,
  operation: "requestDataDeletion",
  path: "/platform/data-deletion",
  summary: "Delete a person's data",
  data: () => z.object({ url: z.string(), confirmation_code: z.string() }),
  handle: async ({ body, now, ports }) => {
    const request = await readRequest(ports, body, now);
    if (isRefusal(request)) return request;
    const code = await deleteData(ports, request);
    return HttpResponse.json({ url: `${ports.baseUrl}/platform/data-deletion/${code}`, confirmation_code: code });
  },
});

const getDataDeletion = endpoint.public({
  operation: "getDataDeletionPage",
  method: "GET",
  path: "/platform/data-deletion/{code}",
  tag,
  summary: "Get the page that says whether a data deletion is done",
  envelope: false,
  answers: {
    200: { types: ["text/html"] },
    404: { description: "The page that says that no request has this code.", types: ["text/html"] },
  },
  handle: async ({ path, request, ports, now }) =>
    dataDeletionPage(ports.pageFiles, await readDataDeletion(ports, path.code, now), request.headers),
});

/** Reads what a platform requests, and about whom. A request of another time than about now is refused. */
async function readRequest(
  ports: Pick<PlatformCallbackPorts, "platformSecrets" | "parseSignedRequest">,
  body: Uint8Array,
  now: Millis,
): Promise<PlatformRequest | Refusal<"invalid_request" | "signed_request_invalid">> {
  const text = readSignedRequest(body);
  if (isRefusal(text)) return text;
  const request = await tryTwice(ports, ({ meta, instagram }) => {
    const result = ports.parseSignedRequest(text, [...meta, ...instagram]);
    return result.kind === "wrong_signature" ? null : result;
  });
  if (request === null) return refuse("signed_request_invalid");
  if (request.kind !== "signed") {
    return invalidField("signed_request", "must be a signature and a payload with algorithm HMAC-SHA256 and user_id");
  }
  const { userId, issuedAt } = request;
  const second = issuedAt === null ? now : issuedAt - (issuedAt % SECOND);
  if (second > now + SIGNED_REQUEST_AHEAD_MAX || second < now - SIGNED_REQUEST_AGE_MAX) {
    return invalidField("signed_request", "must have an issued_at of the last 7 days, at most 5 minutes ahead");
  }
  return { platformUserId: userId, now, issuedAt: issuedAt ?? undefined };
}

function readSignedRequest(body: Uint8Array): string | Refusal<"invalid_request"> {
  const fields = readParameters(Buffer.from(body).toString("latin1"));
  if (isRefusal(fields)) return invalidField("body", "must not repeat a field");
  return fields.get("signed_request") ?? invalidField("signed_request", "is required");
}

/** The requests that the platforms make about a person's login. */
export const platformCallbackRoutes = [receiveDeauthorization, requestDataDeletion] as const;

/** The page that the person may read, and its style sheet. */
export const dataDeletionPageRoutes = [
  getDataDeletion,
  ...pageFileEndpoints<PlatformCallbackPorts>(tag, [
    ["getDataDeletionStyle", "/platform/data-deletion/style.css", "Get the style sheet of that page", "no-cache"],
  ]),
] as const;
