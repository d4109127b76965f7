import { clock } from "./commands/clock.ts";
import { hold, reply, writeMessage } from "./commands/conversation.ts";
import { dev } from "./commands/dev.ts";
import { doctor } from "./commands/doctor.ts";
import { env } from "./commands/env.ts";
import { events } from "./commands/events.ts";
import { listen } from "./commands/listen.ts";
import { logs } from "./commands/logs.ts";
import { open } from "./commands/open.ts";
import { scenario } from "./commands/scenario.ts";
import { completion } from "./completion.ts";
import { resolveTarget } from "./target/target.ts";
import { printFields, printLines } from "./text/print.ts";

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;

/** The options of all commands. Each command names those that it takes. */
export const options = {
  account: text,
  actor: text,
  conversation: text,
  data: text,
  endpoint: text,
  events: text,
  "forward-to": text,
  lines: text,
  match: text,
  person: text,
  port: text,
  tenant: text,
  "trust-certificate": text,
  url: text,
  demo: flag,
  follow: flag,
  force: flag,
  fresh: flag,
  json: flag,
  help: { ...flag, short: "h" },
} as const;

export type OptionName = keyof typeof options;

type OptionValues = {
  readonly [Name in OptionName as (typeof options)[Name]["type"] extends "boolean" ? Name : never]: boolean;
} & {
  readonly [Name in OptionName as (typeof options)[Name]["type"] extends "string" ? Name : never]?: string | undefined;
};

/** The parsed arguments. `positionals` starts with the command. */
export type Arguments = OptionValues & { readonly positionals: readonly string[] };

export interface Command {
  readonly usage: string;
  /** One sentence that starts with a verb. */
  readonly summary: string;
  /** More about it, and about its options. */
  readonly help: string;
  readonly options: readonly OptionName[];
  /** How many words may follow. Default: none. */
  readonly wordsMax?: number;
  /** Words that may follow, for the completion of a shell. */
  readonly words?: readonly string[];
  /** @returns the exit code; 0 if undefined */
  readonly run: (values: Arguments) => Promise<number | undefined>;
}

const PROGRAM = "npx parley";
const ofTarget = ["url", "tenant", "json"] as const;
const LOCAL_ONLY = "It works on the local stack only.";

/** By name, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  dev: {
    usage: "dev [--port NUMBER] [--data FOLDER] [--fresh] [--demo]",
    summary: "Run the local stack: all of Parley on this machine.",
    help: `It needs the package @parley/dev. Stop it with Ctrl-C.
  --port NUMBER  port of the API; the next three are used, too (default: 8787; 0: free ports)
  --data FOLDER  data folder (default: .parley)
  --fresh        empty the data folder first
  --demo         play two dozen conversations of a small workshop into the inbox, each once`,
    options: ["port", "data", "fresh", "demo"],
    run: dev,
  },
  env: {
    usage: "env",
    summary: "Print the address and the live key of the local stack as the variables BASE and KEY.",
    help: `eval "$(npx parley env)" sets them in a shell.`,
    options: ["json"],
    run: env,
  },
  listen: {
    usage: "listen [--forward-to URL] [--events TYPE,TYPE] [--trust-certificate FILE]",
    summary: "Forward events to a receiver on this machine, or print them.",
    help: `On the local stack it creates a temporary endpoint: the stack gets the receiver's status, and retries. On a deployment it
forwards the events of the realtime stream, once each. Events are signed with a secret of this machine, which stays the same.
  --forward-to URL          the receiver; without it, each event is printed and accepted
  --events TYPE,TYPE        only these types
  --trust-certificate FILE  a certificate in PEM that the receiver may have, such as a self-signed one`,
    options: ["forward-to", "events", "trust-certificate", ...ofTarget],
    run: (values) => listen(resolveTarget(values), values),
  },
  events: {
    usage: "events [--events TYPE,TYPE] [--conversation ID] | events replay EVENT_ID [--endpoint ID] [--force]",
    summary: "Print a line per event, or deliver an event again.",
    help: `A line has the time, type and id of the event and its conversation. With --json it is the whole event.
  --events TYPE,TYPE  only these types
  --conversation ID   only this conversation
replay sends an event to the endpoints that it was sent to before.
  --endpoint ID       only to this endpoint
  --force             also if it was delivered`,
    wordsMax: 2,
    options: ["events", "conversation", "endpoint", "force", ...ofTarget],
    words: ["replay"],
    run: (values) => events(resolveTarget(values), values),
  },
  message: {
    usage: "message [TEXT] [--account HANDLE] [--person NAME]",
    summary: "Write a message as a person of the simulator.",
    help: `${LOCAL_ONLY}
  --account HANDLE  the account that gets it; default: the first one
  --person NAME     who writes; default: the first person`,
    wordsMax: Number.POSITIVE_INFINITY,
    options: ["account", "person", "json"],
    run: async (values) =>
      printFields(await writeMessage(resolveTarget(values), { ...values, program: PROGRAM }), values.json),
  },
  scenario: {
    usage: "scenario NAME|FILE.json [--account HANDLE] [--person NAME]",
    summary: "Run a scenario of the simulator, and wait for its end.",
    help: `${LOCAL_ONLY} Without a name it lists the scenarios.
  --account HANDLE  the account that the scenario is about; default: the first one
  --person NAME     who writes; default: the first person`,
    wordsMax: 1,
    options: ["account", "person", "json"],
    run: async (values) => printFields(await scenario(resolveTarget(values), values), values.json),
  },
  reply: {
    usage: "reply TEXT",
    summary: "Answer the newest conversation.",
    help: "It sends the text to a real person, if the target is a deployment.",
    wordsMax: Number.POSITIVE_INFINITY,
    options: [...ofTarget],
    run: async (values) =>
      printFields(await reply(resolveTarget(values), { ...values, program: PROGRAM }), values.json),
  },
  hold: {
    usage: "hold TEXT [--actor NAME]",
    summary: "Hold a message for the newest conversation, and print the link of its check page.",
    help: "  --actor NAME  the person who wrote it; default: the name of your user",
    wordsMax: Number.POSITIVE_INFINITY,
    options: ["actor", ...ofTarget],
    run: async (values) => printFields(await hold(resolveTarget(values), { ...values, program: PROGRAM }), values.json),
  },
  clock: {
    usage: "clock [DURATION]",
    summary: "Print the time of the local stack, or advance it, such as by 25h.",
    help: `${LOCAL_ONLY} A duration is a number with s, m, h, d or w, or ISO 8601 (PT25H).`,
    wordsMax: 1,
    options: ["json"],
    run: async (values) => printFields(await clock(values), values.json),
  },
  open: {
    usage: "open [console|docs|simulator]",
    summary: "Print the address of a page, and open it in the browser.",
    help: "In a script it only prints the address.",
    wordsMax: 1,
    options: ["url", "json"],
    words: ["console", "docs", "simulator"],
    run: (values) => open(resolveTarget(values), values),
  },
  logs: {
    usage: "logs [--follow] [--lines N] [--match TEXT]",
    summary: "Print the log of the local stack's functions.",
    help: `${LOCAL_ONLY}
  --follow      print new lines until Ctrl-C
  --lines N     the last N lines first; default: 20
  --match TEXT  only lines with this text`,
    options: ["follow", "lines", "match"],
    run: (values) => logs(resolveTarget(values), values),
  },
  doctor: {
    usage: "doctor",
    summary: "Check the address, the key, the clock, the accounts, the endpoints and the stream.",
    help: "Each finding names its fix. The exit code is 1 if one failed.",
    options: [...ofTarget],
    run: (values) => doctor(resolveTarget(values), values),
  },
  completion: {
    usage: "completion bash|zsh|fish",
    summary: "Print the completion for a shell.",
    help: `bash: eval "$(parley completion bash)" in ~/.bashrc
zsh:  eval "$(parley completion zsh)" in ~/.zshrc, after compinit
fish: parley completion fish | source, in ~/.config/fish/config.fish`,
    wordsMax: 1,
    options: [],
    words: ["bash", "zsh", "fish"],
    run: async ({ positionals }) => {
      printLines(completion(positionals[1], commands, options));
      return undefined;
    },
  },
};
