import { isRefusal, type Refusal } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import {
  type Credentials,
  identifyCaller as identifyByCredential,
  readCredential,
} from "#http/credentials/credentials.ts";
import type { Auth, Method } from "#http/endpoint.ts";

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
