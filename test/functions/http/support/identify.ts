import {
  type Credentials,
  identifyCaller as identifyByCredential,
  readCredential,
} from "../../../../functions/http/credentials.ts";
import type { Auth, Method } from "../../../../functions/http/endpoint.ts";
import type { Caller } from "../../../../shared/domain/access/callers.ts";
import { isRefusal, type Refusal } from "../../../../shared/kernel/refusals.ts";
import type { Millis } from "../../../../shared/kernel/time.ts";

/** The caller of a request with these headers, as a route identifies it. */
export async function identifyCaller(
  credentials: Credentials,
  route: { readonly auth: Auth; readonly method: Method },
  headers: Headers,
  now: Millis,
): Promise<Caller | Refusal> {
  const credential = readCredential(credentials, route, headers);
  if (isRefusal(credential)) return credential;
  return identifyByCredential(credentials, credential, { method: route.method, headers }, now);
}
