export type { ControlToken } from "../../loopback/src/control-token.ts";
export type { AccessKey } from "./access/access-key.ts";
export { FunctionFailed } from "./lambda/sandbox.ts";
export type { SandboxHost } from "./lambda/sandbox-messages.ts";
export { HOST_SYMBOL, type LocalAws, type LocalAwsOptions, startLocalAws } from "./local-aws.ts";
export { LocalRefusal } from "./support/local-refusal.ts";
