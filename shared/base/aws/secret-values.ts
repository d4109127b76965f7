import {
  GetSecretValueCommand,
  InvalidParameterException,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";

/** A version of a secret. */
export interface SecretVersion {
  readonly id: string;
  readonly text: string;
}

/** The stage of a version before it is current. A version without a stage is removed by Secrets Manager. */
const NEW_STAGE = "PARLEYNEW";

export type StoredSecret = ReturnType<typeof openStoredSecret>;

/** A secret that a command changes. It is never cached. */
export function openStoredSecret(SecretId: string, client: SecretsManagerClient) {
  return {
    /** @throws Error when the secret has no value */
    async current(): Promise<SecretVersion> {
      const { SecretString, VersionId } = await client.send(new GetSecretValueCommand({ SecretId }));
      if (!SecretString || !VersionId) throw new Error("The secret is empty.");
      return { id: VersionId, text: SecretString };
    },

    /**
     * Makes a text current, and the version that was read the previous one. Of two commands at the same time one does:
     * a third version would end the one before both.
     * @returns false when another version became current in the meantime
     */
    async replace(current: SecretVersion, text: string): Promise<boolean> {
      const { VersionId } = await client.send(
        new PutSecretValueCommand({ SecretId, SecretString: text, VersionStages: [NEW_STAGE] }),
      );
      try {
        await client.send(
          new UpdateSecretVersionStageCommand({
            SecretId,
            VersionStage: "AWSCURRENT",
            MoveToVersionId: VersionId,
            RemoveFromVersionId: current.id,
          }),
        );
        return true;
      } catch (error) {
        // The answer to the first of the SDK's attempts may have been lost.
        const isOvertaken = error instanceof InvalidParameterException || error instanceof ResourceNotFoundException;
        if (!isOvertaken) throw error;
        const now = await this.current();
        return now.id === VersionId;
      }
    },
  };
}
