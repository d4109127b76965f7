/** One line per variable, or per variables with one meaning. */
const VARIABLES = [
  "PARLEY_PORT, PARLEY_DATA                             the same as --port and --data",
  "PARLEY_SEED=0                                        create only the tenant and its keys, without accounts",
  "PARLEY_SITE_URL                                      target of / and /.well-known/security.txt",
  "PARLEY_SIGN_UP=open                                  let anyone sign in and create a tenant",
  "PARLEY_SIZE=small                                    run the template of a new AWS account (default: standard)",
  "PARLEY_AWS_CLIENT=sdk                                bundle the functions with AWS's SDK instead of the lean client",
  "PARLEY_CONCURRENCY                                   refuse invocations beyond so many at once (default: 1000)",
  "PARLEY_PLATFORM_URLS                                 JSON of platform hosts to use instead of the simulator",
  "PARLEY_META_APP_SECRET, PARLEY_INSTAGRAM_APP_SECRET  the app secrets (default: random)",
  "PARLEY_VERIFY_TOKEN                                  the verify token (default: random)",
  "PARLEY_META_APP_ID, PARLEY_INSTAGRAM_APP_ID          the app's ids (default: those of the simulated app)",
  "PARLEY_EGRESS=strict                                 apply the deployed rules for webhook addresses",
  "PARLEY_IAM=strict                                    refuse what the role of a function does not allow",
  "PARLEY_SQS_CHAOS                                     share of queue messages, 0 to 1, to deliver twice",
  "PARLEY_DYNAMODB=dynamodb-local                       run Amazon's DynamoDB Local, which needs Java 17",
  "PARLEY_DYNAMODB_EXPOSED=1                            accept an engine that listens on every interface, as DynamoDB Local does",
  "PARLEY_ORIGINS                                       origins of your own pages that may call the API, with commas",
];

export interface HelpTexts {
  /** How the program is called, to the flags, such as `npm run local --`. */
  readonly usage: string;
  /** Where more is written. */
  readonly details: string;
  /** Variables that the program refuses. */
  readonly omitted?: readonly string[];
}

/** The flags and the variables of a program that runs the stack. */
export function localHelp({ usage, details, omitted = [] }: HelpTexts): string {
  const variables = VARIABLES.filter((line) => !omitted.some((name) => line.startsWith(name)));
  return `Run all of Parley on this machine. Stop it with Ctrl-C.

Usage: ${usage} [flags]
  --port <number>   port of the API; the simulator, the emulators and the WebSocket API use the next three (default: 8787; 0: free ports)
  --data <folder>   data folder (default: .parley)
  --fresh           empty the data folder first
  --demo            play two dozen conversations of a small workshop into the inbox, each once
  --help            show this help

Environment variables:
${variables.map((line) => `  ${line}`).join("\n")}

Details: ${details}`;
}

/** The output of `npm run local -- --help`. */
export const LOCAL_HELP = localHelp({ usage: "npm run local --", details: "docs/operate/local-stack.md" });
