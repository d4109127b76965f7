/** The access keys of emulators that a test starts, as its clients sign with them. */
export const testAccessKeys = { local: "local" };

/** The settings of a client of a stack's services, from the environment of its functions. */
export function clientSettings(environment: Readonly<Record<string, string | undefined>>) {
  const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = environment;
  return {
    endpoint: environment.AWS_ENDPOINT_URL ?? "",
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey },
  };
}
