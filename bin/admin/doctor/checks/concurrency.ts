import { GetAccountSettingsCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { concurrencyNeeds } from "../../../../lib/config/concurrency.ts";
import type { DoctorContext } from "../context.ts";
import { call } from "../run-checks.ts";
import { blocking, ok, skipped, type Verdict, warning } from "../verdict.ts";

/** What Lambda always leaves to the functions without a reservation. */
const UNRESERVED_MIN = 100;
/** Of Service Quotas: concurrent executions. */
const QUOTA = "L-B99A9384";

/** Lambda's limit of concurrent executions against what the queues and the reservations of the template may use. */
export async function checkConcurrency({ isLocal, settings, environment, services }: DoctorContext): Promise<Verdict> {
  if (isLocal) return skipped("The local stack has no limit of the account.");
  if (settings === null) return skipped("Only with --stage, whose file has the settings.");
  const request = new LambdaClient(services).send(new GetAccountSettingsCommand({}));
  const { AccountLimit } = await call("lambda:GetAccountSettings", request);
  const limit = AccountLimit?.ConcurrentExecutions ?? 0;
  const { mappings, reserved } = concurrencyNeeds(settings);
  // A deployed stage holds its reservations already.
  const unreserved = environment === null ? (AccountLimit?.UnreservedConcurrentExecutions ?? limit) : limit;
  if (reserved > 0 && unreserved - reserved < UNRESERVED_MIN) {
    return blocking(
      `Lambda's limit is ${limit} concurrent executions. It refuses to reserve ${reserved}, because less than ${UNRESERVED_MIN} would remain.`,
      `Set size to small, and request a higher quota ${QUOTA} of Lambda.`,
    );
  }
  const sum = mappings + reserved;
  if (limit < sum) {
    return warning(
      `Lambda's limit is ${limit} concurrent executions, but the queues (${mappings}) and the reservations (${reserved}) may use ${sum}: a busy queue can leave none for the API.`,
      settings.size === "small"
        ? `Request a quota ${QUOTA} of Lambda above ${sum}.`
        : `Request a quota ${QUOTA} of Lambda above ${sum}, or lower the settings of concurrency.`,
    );
  }
  return ok(`Lambda's limit is ${limit} concurrent executions. The queues and reservations may use ${sum}.`);
}
