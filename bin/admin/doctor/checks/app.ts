import { optionalSetting } from "#base/config/settings.ts";
import { withoutEndSlashes } from "#base/kernel/text/urls.ts";
import type { CallFailure } from "#platforms/graph/account-platform.ts";
import { type AppSubscription, readApp, readAppSubscriptions } from "#platforms/graph/app.ts";
import { pageFields } from "#platforms/graph/page-accounts.ts";
import { instagramFields } from "#platforms/instagram/instagram.ts";
import { type DoctorContext, notDeployed } from "../context.ts";
import { appIds, openApp } from "../platform-app.ts";
import { blocking, ok, skipped, type Verdict, warning, worst } from "../verdict.ts";

/** The id and the secret of the Meta app, as the platform sees them. */
export async function checkApp(context: DoctorContext): Promise<Verdict> {
  const { meta, instagram } = appIds(context);
  if (meta === null && instagram === null) {
    return warning(
      "No account can be connected, because metaAppId and instagramAppId are not set.",
      "Set the id of your app.",
    );
  }
  if (meta === null) return skipped("metaAppId is not set, and the platform checks no other app without a login.");
  if (context.environment === null) return notDeployed(context);
  const app = await openApp(context);
  if (app === null) return skipped("The secret of the Meta app is not set.");
  const outcome = await readApp(app);
  if (outcome.kind === "read") return ok(`The platform accepts the id and the secret of the Meta app ${meta}.`);
  return describeFailure(outcome, `The platform refuses the id ${meta} or the secret of the Meta app`);
}

/** The callback URLs and the fields that the app has subscribed to. */
export async function checkCallbacks(context: DoctorContext): Promise<Verdict> {
  const { environment } = context;
  const baseUrl = environment === null ? null : optionalSetting("baseUrl", environment);
  if (baseUrl === null) return notDeployed(context);
  const app = await openApp(context);
  if (app === null) return skipped("The id or the secret of the Meta app is not set.");
  const outcome = await readAppSubscriptions(app);
  if (outcome.kind !== "read") return describeFailure(outcome, "The platform does not show the webhooks of the app");
  const { subscriptions } = outcome;
  const address = withoutEndSlashes(baseUrl);
  const objects = [
    { object: "page", url: `${address}/webhooks/messenger`, fields: pageFields },
    { object: "instagram", url: `${address}/webhooks/instagram`, fields: instagramFields },
  ] as const;
  const registered = objects.filter(({ object }) => subscriptions.some((each) => each.object === object));
  if (registered.length === 0) {
    return blocking(
      "The app has no callback URL, so that no webhook arrives.",
      `Register ${objects.map(({ url }) => url).join(" and ")} in the app's dashboard.`,
    );
  }
  const verdicts = registered.map((expected) => checkObject(expected, subscriptions));
  return worst(
    verdicts,
    `The callback URLs and fields of ${registered.map(({ object }) => object).join(" and ")} are registered.`,
  );
}

interface Expected {
  readonly object: string;
  readonly url: string;
  readonly fields: readonly string[];
}

function checkObject({ object, url, fields }: Expected, subscriptions: readonly AppSubscription[]): Verdict {
  const subscription = subscriptions.find((each) => each.object === object);
  if (subscription === undefined) return ok("");
  if (subscription.callbackUrl !== url) {
    return blocking(
      `The webhooks of ${object} go to ${subscription.callbackUrl}.`,
      `Register ${url} in the app's dashboard.`,
    );
  }
  if (!subscription.isActive) {
    return blocking(`The callback URL of ${object} is off.`, `Register ${url} again in the app's dashboard.`);
  }
  const missing = fields.filter((field) => !subscription.fields.includes(field));
  if (missing.length === 0) return ok("");
  const verdict = missing.includes("messages") ? blocking : warning;
  return verdict(
    `The app is not subscribed to ${missing.join(", ")} of ${object}.`,
    `Subscribe to these fields of ${object} in the app's dashboard.`,
  );
}

function describeFailure(failure: CallFailure, problem: string): Verdict {
  if (failure.kind === "refused" && !failure.transient) {
    return blocking(
      `${problem}: ${failure.detail}`,
      "Compare metaAppId and the secret with App settings → Basic of the dashboard.",
    );
  }
  return warning("The platform did not answer.", "Check your connection, then try again.");
}
