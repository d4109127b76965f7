import type { FunctionName as FunctionId } from "#base/config/names.ts";

/**
 * The functions of a history, and the ids of their constructs. Three names are not those of `functions/compose.ts`, because
 * the histories in `found-histories.json` have them: `checkPage`, `account` and `socket`.
 */
export const functionIds = {
  api: "Api",
  checkPage: "Verify",
  intake: "Intake",
  ingest: "Ingest",
  deliver: "Deliver",
  profile: "Profile",
  erase: "Erase",
  sweep: "Sweep",
  console: "Console",
  connect: "Connect",
  mail: "Mail",
  account: "Account",
  socket: "Socket",
  push: "Push",
} as const satisfies Readonly<Record<string, FunctionId>>;
export type FunctionName = keyof typeof functionIds;
export const functionNames = Object.keys(functionIds) as readonly FunctionName[];
/** Those that the steps of messages use. Those of the realtime stream do nothing in a history without sockets. */
export const functionsWithoutStream = functionNames.filter(
  (name) => name !== "socket" && name !== "push" && name !== "connect",
);
