import { SecretsManagerClient as Lean } from "#base/aws/lean/secrets-manager.ts";
import { asSdkClient } from "./lean-client.ts";

// The SDK's package with the lean client: for runs of the tests with PARLEY_AWS_CLIENT=lean.

// The package itself: its name is the name of this file.
// @ts-expect-error: the types are those of the package
export * from "../../../node_modules/@aws-sdk/client-secrets-manager/dist-cjs/index.js";
export const SecretsManagerClient = asSdkClient(Lean);
