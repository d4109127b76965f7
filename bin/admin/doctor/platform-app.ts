import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { parsePlatformSecrets } from "#base/aws/secrets.ts";
import { optionalSetting, platformUrlSettings, setting } from "#base/config/settings.ts";
import type { AppPorts } from "#platforms/graph/app.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import type { DoctorContext } from "./context.ts";
import { call } from "./run-checks.ts";

/** The ids of the apps, of the stage's settings or of the deployment's variables. Null where they are not set. */
export function appIds({ settings, environment }: DoctorContext): {
  readonly meta: string | null;
  readonly instagram: string | null;
} {
  if (settings !== null) return { meta: settings.metaAppId, instagram: settings.instagramAppId };
  return {
    meta: environment === null ? null : optionalSetting("metaAppId", environment),
    instagram: environment === null ? null : optionalSetting("instagramAppId", environment),
  };
}

/** What calls as the Meta app need. Null without its id, its secret or a deployment. */
export async function openApp(context: DoctorContext): Promise<AppPorts | null> {
  const { environment, settings, services } = context;
  const { meta: appId } = appIds(context);
  if (environment === null || appId === null) return null;
  const SecretId = setting("platformSecretId", environment);
  const request = new SecretsManagerClient(services).send(new GetSecretValueCommand({ SecretId }));
  const { SecretString = "" } = await call("secretsmanager:GetSecretValue", request);
  const [appSecret] = readMetaSecrets(SecretString);
  if (appSecret === undefined) return null;
  const upstream = {
    ...platformUrlSettings(environment),
    ...(settings === null ? {} : { graphVersion: settings.graphVersion }),
  };
  return { upstream, http: platformHttp(), appId, appSecret };
}

function readMetaSecrets(text: string): readonly string[] {
  try {
    return parsePlatformSecrets(text).meta;
  } catch {
    return [];
  }
}
