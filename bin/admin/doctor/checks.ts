import { checkAccount } from "./checks/account.ts";
import { checkAlarmTopic } from "./checks/alarm-topic.ts";
import { checkApp, checkCallbacks } from "./checks/app.ts";
import { checkBootstrap } from "./checks/bootstrap.ts";
import { checkConcurrency } from "./checks/concurrency.ts";
import { checkExisting } from "./checks/existing.ts";
import { checkKey } from "./checks/key.ts";
import { checkMail } from "./checks/mail.ts";
import { checkQueues } from "./checks/queues.ts";
import { checkSecrets } from "./checks/secrets.ts";
import { checkStacks } from "./checks/stacks.ts";
import { checkTable } from "./checks/table.ts";
import { checkVersion } from "./checks/version.ts";
import type { Check } from "./run-checks.ts";

/** In the order in which a deployment needs what they check. */
export const checks: readonly Check[] = [
  { name: "account", run: checkAccount },
  { name: "bootstrap", run: checkBootstrap },
  { name: "concurrency", run: checkConcurrency },
  { name: "stacks", run: checkStacks },
  { name: "existing", run: checkExisting },
  { name: "table", run: checkTable },
  { name: "key", run: checkKey },
  { name: "secrets", run: checkSecrets },
  { name: "queues", run: checkQueues },
  { name: "version", run: checkVersion },
  { name: "app", run: checkApp },
  { name: "callbacks", run: checkCallbacks },
  { name: "mail", run: checkMail },
  { name: "alarm topic", run: checkAlarmTopic },
];
