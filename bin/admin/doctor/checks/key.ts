import { DescribeKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { setting } from "#base/config/settings.ts";
import { type DoctorContext, notDeployed } from "../context.ts";
import { call, isError } from "../run-checks.ts";
import { blocking, ok, type Verdict } from "../verdict.ts";

/** Whether the key opens the stored tokens and signing secrets. */
export async function checkKey(context: DoctorContext): Promise<Verdict> {
  const { environment, services } = context;
  if (environment === null) return notDeployed(context);
  const KeyId = setting("keyId", environment);
  try {
    const { KeyMetadata } = await call(
      "kms:DescribeKey",
      new KMSClient(services).send(new DescribeKeyCommand({ KeyId })),
    );
    const state = KeyMetadata?.KeyState ?? "unknown";
    if (state === "Enabled") return ok("The key is enabled.");
    if (state === "PendingDeletion") {
      return blocking(
        `The key is deleted at ${KeyMetadata?.DeletionDate?.toISOString()}. Then no stored token can be read again.`,
        `Run aws kms cancel-key-deletion --key-id ${KeyId}, then aws kms enable-key --key-id ${KeyId}.`,
      );
    }
    return blocking(
      `The key is not enabled (${state}), so that no account can send.`,
      `Run aws kms enable-key --key-id ${KeyId}.`,
    );
  } catch (error) {
    if (!isError(error, "NotFoundException")) throw error;
    return blocking(`The key ${KeyId} does not exist.`, "Check the account and the region of your credentials.");
  }
}
