import { MINUTE, type Millis, machineNow } from "../../kernel/time.ts";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

export type CredentialsProvider = (options?: { readonly forceRefresh?: boolean }) => Promise<Credentials>;

/** Credentials are replaced this long before they expire, as the SDK does. */
const REFRESH_BEFORE: Millis = 5 * MINUTE;

/** No credentials, or none that the container's endpoint gave. Named as the SDK names it. */
class CredentialsProviderError extends Error {
  override readonly name = "CredentialsProviderError";
}

/**
 * Credentials where Lambda has them: in the environment, or, with SnapStart, behind a URL that the environment names.
 * The environment is read for each request, because a test and a restored snapshot change it.
 */
export function environmentCredentials(env: NodeJS.ProcessEnv = process.env): CredentialsProvider {
  let fetched: { readonly url: string; readonly credentials: Promise<Credentials> } | undefined;
  return async ({ forceRefresh = false } = {}) => {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
    if (accessKeyId && secretAccessKey) {
      const expiry = env.AWS_CREDENTIAL_EXPIRATION;
      return {
        accessKeyId,
        secretAccessKey,
        ...(env.AWS_SESSION_TOKEN ? { sessionToken: env.AWS_SESSION_TOKEN } : {}),
        ...(expiry ? { expiration: new Date(expiry) } : {}),
      };
    }
    const url = containerUrl(env);
    if (url === null) throw new CredentialsProviderError("The environment has no credentials.");
    const current = fetched?.url === url && !forceRefresh ? await fetched.credentials.catch(() => null) : null;
    const endsAt = current?.expiration?.getTime() ?? Number.POSITIVE_INFINITY;
    if (current && endsAt - machineNow() > REFRESH_BEFORE) return current;
    const credentials = fetchCredentials(url, env.AWS_CONTAINER_AUTHORIZATION_TOKEN);
    fetched = { url, credentials };
    // What still works is better than nothing.
    return credentials.catch((error: unknown) => {
      if (current && endsAt > machineNow()) return current;
      throw error;
    });
  };
}

function containerUrl(env: NodeJS.ProcessEnv): string | null {
  const path = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  return path ? `http://169.254.170.2${path}` : (env.AWS_CONTAINER_CREDENTIALS_FULL_URI ?? null);
}

async function fetchCredentials(url: string, token: string | undefined): Promise<Credentials> {
  const response = await fetch(url, {
    headers: token ? { authorization: token } : {},
    signal: AbortSignal.timeout(1_000),
  });
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = (await response.json()) as Record<string, string>;
  if (!response.ok || !AccessKeyId || !SecretAccessKey) {
    throw new CredentialsProviderError(`The endpoint of credentials answered ${response.status}.`);
  }
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: Token,
    ...(Expiration ? { expiration: new Date(Expiration) } : {}),
  };
}
