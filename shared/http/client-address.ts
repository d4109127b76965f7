import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { sameBytes } from "#base/kernel/bytes.ts";
import { ORIGIN_HEADER } from "#base/kernel/text/origin-header.ts";

/** Reads the secrets of which a distribution in front of the gateway sends one. */
export type ReadOriginSecrets = () => Promise<readonly string[]>;

const ADDRESS = /^[\da-f.:]{2,45}$/i;

/**
 * The address of the client: the one that the gateway saw, or, if the request has a secret of the distribution, the one that
 * the distribution saw.
 * @param readSecrets null where nothing is in front of the gateway, so that no forwarded address counts. Called only for a
 * request with the header of the secret
 */
export async function clientAddress(
  { headers, requestContext }: APIGatewayProxyEventV2,
  readSecrets: ReadOriginSecrets | null,
): Promise<string> {
  const { sourceIp } = requestContext.http;
  const proof = headers?.[ORIGIN_HEADER];
  if (readSecrets === null || proof === undefined) return sourceIp;
  const secrets = await readSecrets();
  // Each is compared, so that the time does not depend on which one it is.
  const matches = secrets.filter((secret) => secret !== "" && sameBytes(secret, proof));
  return matches.length === 0 ? sourceIp : (forwardedAddress(headers["x-forwarded-for"] ?? "", sourceIp) ?? sourceIp);
}

/** The distribution and the gateway each append the address that they saw. What stands before these is the client's own text. */
function forwardedAddress(list: string, sourceIp: string): string | null {
  const [last = "", beforeLast = ""] = list
    .slice(-MAX_READ)
    .split(",")
    .map((address) => address.trim())
    .reverse();
  const address = last === sourceIp ? beforeLast : last;
  return ADDRESS.test(address) ? address : null;
}

/** Characters of the list that have the last two addresses. */
const MAX_READ = 200;
