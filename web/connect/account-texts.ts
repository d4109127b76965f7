import type { Account } from "./calls.ts";

// What the page says about an account.

/** How well an account works: the color of its status. */
export type Condition = "working" | "warning" | "stopped";

export interface StatusText {
  readonly condition: Condition;
  readonly label: string;
  /** What the status means, and what to do. Empty when there is nothing to do. */
  readonly explanation: string;
  /** Whether a new login ends the problem. */
  readonly canReconnect: boolean;
}

export function statusText({ status, statusDetail, platform }: Account): StatusText {
  switch (status) {
    case "active":
      return statusDetail === ""
        ? { condition: "working", label: "Working", explanation: "", canReconnect: false }
        : {
            condition: "warning",
            label: "Working",
            explanation: "The account works now. Reconnect it, so that it continues to work.",
            canReconnect: true,
          };
    case "refresh_failing":
      return {
        condition: "warning",
        label: "Refresh fails",
        explanation:
          "The account still works, but Parley cannot renew its access token. Parley tries again every day. Reconnect the account to end the problem now.",
        canReconnect: true,
      };
    case "needs_reauth":
      return {
        condition: "stopped",
        label: "Access ended",
        explanation: `Parley cannot send messages with this account: ${platformName(platform)} no longer accepts its access token. Messages that arrive are stored. Reconnect the account.`,
        canReconnect: true,
      };
    case "restricted":
      return {
        condition: "stopped",
        label: "Restricted",
        explanation: `${platformName(platform)} does not accept messages from this account for now. Parley sends again when the restriction ends. Messages that arrive are stored. Check the account for a notice in the ${platformName(platform)} app.`,
        canReconnect: false,
      };
    default:
      return { condition: "warning", label: status || "Unknown", explanation: "", canReconnect: false };
  }
}

const names: Readonly<Record<string, string>> = { instagram: "Instagram", messenger: "Messenger" };

export function platformName(platform: string): string {
  return names[platform] ?? platform;
}

/** The name that a person knows the account by. */
export function accountName({ displayName, handle, key }: Account): string {
  return displayName || handle || key;
}

/** The platform and, where it says more than the name, the handle: `Instagram · @harbor.tailors`. */
export function accountSubtitle(account: Account): string {
  const { platform, handle } = account;
  const name = platformName(platform);
  if (handle === "" || handle === accountName(account)) return name;
  return `${name} · ${platform === "instagram" ? "@" : ""}${handle}`;
}

export function connectionText({ platform, pageId }: Account): string {
  if (platform === "messenger") return "Facebook login";
  return pageId === "" ? "Instagram login" : "Facebook login, through a linked page";
}

/** The login that connects the account again. */
export function loginOf({ platform, pageId }: Account): "instagram" | "messenger" {
  return platform === "instagram" && pageId === "" ? "instagram" : "messenger";
}

export function tokenText(account: Account): string {
  if (account.lastRefreshedAt !== "") return formatTime(account.lastRefreshedAt);
  return loginOf(account) === "instagram"
    ? "Not yet. Parley refreshes it before it expires."
    : "Not needed. The access token of a page does not expire.";
}

/** Why human-agent messages are refused. Empty when they are not. */
export function humanAgentText({ platform, humanAgentBlockedAt }: Account): string {
  if (humanAgentBlockedAt === "") return "";
  return `${platformName(platform)} refused a human-agent message on ${formatTime(humanAgentBlockedAt)}. Until the platform accepts them, people can be answered only within 24 hours of their last message. Ask the operator of Parley to request the feature Human Agent for the Meta app.`;
}

const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** @param time ISO 8601. What is no time is returned as it is */
function formatTime(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : times.format(date);
}
