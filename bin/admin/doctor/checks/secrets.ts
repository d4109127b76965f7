import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { type PlatformSecrets, parsePlatformSecrets } from "#base/aws/secrets.ts";
import { ROOT_CHARS_MIN } from "#base/aws/service-keys.ts";
import { setting } from "#base/config/settings.ts";
import { type DoctorContext, notDeployed } from "../context.ts";
import { appIds } from "../platform-app.ts";
import { call, isError } from "../run-checks.ts";
import { blocking, ok, type Verdict, warning, worst } from "../verdict.ts";

/** Whether both secrets exist and have what the service needs. Nothing of their values is printed. */
export async function checkSecrets(context: DoctorContext): Promise<Verdict> {
  const { environment, services } = context;
  if (environment === null) return notDeployed(context);
  const client = new SecretsManagerClient(services);
  const [root, platforms] = await Promise.all([
    readSecret(client, setting("rootSecretId", environment)),
    readSecret(client, setting("platformSecretId", environment)),
  ]);
  const verdicts = [
    typeof root === "string" ? checkRoot(root) : root,
    ...(typeof platforms === "string" ? checkPlatforms(platforms, context) : [platforms]),
  ];
  return worst(verdicts, "The root secret and the platform secrets are filled in.");
}

/** @returns the text, or the verdict on a secret without one */
async function readSecret(client: SecretsManagerClient, SecretId: string): Promise<string | Verdict> {
  const request = client.send(new GetSecretValueCommand({ SecretId }));
  try {
    return (await call("secretsmanager:GetSecretValue", request)).SecretString ?? "";
  } catch (error) {
    if (isError(error, "ResourceNotFoundException")) {
      return blocking(
        `The secret ${SecretId} does not exist.`,
        "Check the account and the region of your credentials.",
      );
    }
    // Of a secret that is scheduled for deletion.
    if (isError(error, "InvalidRequestException")) {
      return blocking(
        `The secret ${SecretId} is marked as deleted.`,
        `Run aws secretsmanager restore-secret --secret-id ${SecretId}.`,
      );
    }
    throw error;
  }
}

function checkRoot(text: string): Verdict {
  if (text.length >= ROOT_CHARS_MIN) return ok("");
  return blocking(
    `The root secret has less than ${ROOT_CHARS_MIN} characters.`,
    "Store one of 64 random characters with aws secretsmanager put-secret-value.",
  );
}

const PUT_FIX = "Store it with aws secretsmanager put-secret-value, as docs/operate/deploy.md shows.";

function checkPlatforms(text: string, context: DoctorContext): Verdict[] {
  const secrets = tryParse(text);
  if (secrets === null) return [blocking("The platform secrets are no JSON object.", PUT_FIX)];
  const { meta, instagram, verifyToken } = secrets;
  const ids = appIds(context);
  if (meta.length === 0 && instagram.length === 0) {
    return [blocking("Both app secrets are empty, so that every webhook is refused.", PUT_FIX)];
  }
  return [
    meta.length === 0 && ids.meta !== null
      ? blocking("The secret of the Meta app is empty, so that its webhooks are refused.", PUT_FIX)
      : ok(""),
    instagram.length === 0 && ids.instagram !== null
      ? blocking("The secret of the Instagram app is empty, so that its webhooks are refused.", PUT_FIX)
      : ok(""),
    verifyToken === ""
      ? warning(
          "There is no verify token, so that no callback URL can be registered.",
          "Run npm run admin -- rotate verify-token.",
        )
      : ok(""),
  ];
}

function tryParse(text: string): PlatformSecrets | null {
  try {
    return parsePlatformSecrets(text);
  } catch {
    return null;
  }
}
