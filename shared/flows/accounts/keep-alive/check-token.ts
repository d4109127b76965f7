import { dataAccessNotice } from "../../../domain/accounts/account-health.ts";
import type { CallRefused } from "../../../platforms/accounts/account-platform.ts";
import type { AccountCheckPorts } from "../ports.ts";
import { applyFinding, applyRefusal, lastingRefusal, type StepResult, type Visit } from "./visit.ts";

const INVALID_TOKEN = "The access token is no longer valid.";
const MISSING_PERMISSION = "The permission to read and send messages is missing.";

/**
 * Asks the platform about the token: a page token at each check, because nothing refreshes it, and a token of Instagram
 * Login only where its access had ended.
 */
export async function checkToken(
  ports: Pick<AccountCheckPorts, "accounts" | "log">,
  visit: Visit,
): Promise<StepResult> {
  const { checked, platform, token, now } = visit;
  const { account } = checked;
  if (account.connection === "instagram_login" && account.status !== "needs_reauth") return { visit, next: "continue" };
  const answer = await platform.inspect(account, token);
  if (answer.kind !== "inspected") {
    const refused = lastingRefusal(answer);
    if (!refused) return { visit, next: "later" };
    if (account.connection !== "instagram_login") return checkWithoutApp(ports, visit, refused);
    return (await applyRefusal(ports, visit, refused)) ?? { visit, next: "over" };
  }
  if (!answer.isValid || !answer.hasRights) {
    const detail = answer.detail ?? (answer.isValid ? MISSING_PERMISSION : INVALID_TOKEN);
    return applyFinding(ports, visit, { kind: "access_ended", detail, refresh: false }, "over");
  }
  return applyFinding(ports, visit, {
    kind: "access_confirmed",
    notice: dataAccessNotice(answer.dataAccessExpiresAt, now),
  });
}

/** The app asks about a page token with a token of its own, so that a refusal is about the app. A read uses the page token. */
async function checkWithoutApp(
  ports: Pick<AccountCheckPorts, "accounts" | "log">,
  visit: Visit,
  { code }: CallRefused,
): Promise<StepResult> {
  const { checked, platform, token } = visit;
  const { account } = checked;
  ports.log({ event: "account.inspection_refused", platform: account.platform, code });
  // The read of the subscription follows.
  if (account.status !== "needs_reauth") return { visit, next: "continue" };
  const answer = await platform.listThreads(account, token, { after: null, limit: 1 });
  if (answer.kind === "listed") return applyFinding(ports, visit, { kind: "access_confirmed", notice: null });
  return { visit, next: lastingRefusal(answer) ? "over" : "later" };
}
