import { loginErrorText } from "../../common/login-errors.ts";
import type { Account } from "./account-health.ts";

/** The words of the page that connects accounts. */
export const texts = {
  title: "Accounts",
  intro: "Where people write to you. Parley checks each account once a day and repairs a lost subscription by itself.",
  onlyAdmins: "An admin or an owner of the workspace connects, reconnects and disconnects accounts.",
  list: "Connected accounts",
  none: "No account is connected yet.",
  connect: "Connect an account",
  connections: {
    instagram_login: "by Instagram login",
    instagram_page: "through a Facebook page",
    messenger: "by Facebook login",
  } satisfies Record<Account["connection"], string>,
  throughPage: (page: string) => `through the page ${page}`,
  manage: "Manage",
  manageName: (name: string) => `Manage ${name}`,
  details: "Details",
  detailsName: (name: string) => `Details of ${name}`,
  logInAgain: "Log in again",
  logInAgainName: (name: string) => `Log in again: ${name}`,

  states: {
    ok: "Active",
    needs_reauth: "Log in again",
    restricted: "Restricted",
    refresh_failing: "Access is ending",
    ending: "Access is ending",
    missing: "Messages may be missing",
    unchecked: "Not checked",
    human_agent: "Limited",
  },
  titles: {
    needs_reauth: (name: string) => `${name} must be logged in again.`,
    restricted: (name: string) => `${name} is restricted by the platform.`,
    refresh_failing: (name: string) => `The access to ${name} cannot be renewed.`,
    ending: (name: string) => `The access to ${name} ends soon.`,
    missing: (name: string, since: string) => `Messages of ${name} may be missing since ${since}.`,
    unchecked: (name: string, since: string) => `No check of ${name} has succeeded since ${since}.`,
    human_agent: (name: string, since: string) => `${name} sends no messages as a person since ${since}.`,
  },
  tokenEnded: (at: string) => `Its access ended ${at}.`,
  lastCheck: (at: string) => `The last check that succeeded was ${at}.`,
  needsReauth: "Nothing can be sent until then. Incoming messages are still stored and delivered.",
  restricted: (platform: string) =>
    `${platform} accepts no messages from it for now. Parley sends again when the restriction ends. Look for a notice in the app of ${platform}. Incoming messages are still stored and delivered.`,
  refreshFailing: (until: string | null) =>
    `It still works${until === null ? "" : ` until ${until}`}, and Parley tries again every day. Log in again to end the problem now.`,
  ending: "It works now. Log in again, so that it continues to work.",
  missing: (platform: string) =>
    `Parley fetches them with a later check. Log in again to fetch them now, and look in the app of ${platform} until then.`,
  unchecked: "Parley checks it again every hour. Log in again if this lasts longer than a day.",
  humanAgent: (platform: string) =>
    `${platform} refused one, so people can be answered only within 24 hours of their last message. Ask the operator of Parley to request the feature Human Agent for the app.`,
  says: (platform: string) => `${platform} says:`,
  refreshSays: "The last renewal failed with:",
  renewed: (day: string) => `access renewed ${day}`,
  goodUntil: (day: string) => `good until ${day}`,

  facts: {
    account: "Account",
    connection: "Connected",
    access: "Access",
    renewed: "Last renewed",
    check: "Last check that succeeded",
    id: "Id",
  },
  noEnd: "Has no end",
  notRenewed: "Not yet",
  notChecked: "None yet",
  reconnect: "Log in again",

  disconnect: "Disconnect",
  disconnectTitle: (name: string) => `Disconnect ${name}?`,
  disconnectText:
    "Parley stops sending and receiving messages with this account and deletes its access. Its conversations stay until they expire. You can connect it again later.",
  disconnected: (name: string) => `${name} is disconnected.`,

  ways: {
    instagram_login: {
      title: "Instagram",
      text: "For an Instagram account alone.",
      needs: [
        "A professional account: business or creator",
        "Its Instagram login",
        "In the Instagram app, Messages, Connected tools: allow access to messages",
      ],
      go: "Continue with Instagram",
    },
    instagram_page: {
      title: "Instagram with a Facebook page",
      text: "For an Instagram account that is linked to a page.",
      needs: [
        "A professional account that is linked to the page",
        "A Facebook login that may answer the messages of the page",
        "Every permission that the login asks for",
      ],
      go: "Continue with Facebook for Instagram",
    },
    messenger: {
      title: "Messenger",
      text: "For the messages of a Facebook page.",
      needs: ["A Facebook login that may answer the messages of the page", "Every permission that the login asks for"],
      go: "Continue with Facebook for Messenger",
    },
  } satisfies Record<Account["connection"], Way>,
  needsLabel: "What it needs",
  openingFailed: {
    oauth_failed: "This way is not set up. Ask the operator of Parley to set the app of the platform.",
  },

  connected: "The account is connected. Parley receives new messages from now on.",
  connectedNames: (names: string, isOne: boolean) =>
    `${names} ${isOne ? "is" : "are"} connected. Parley receives new messages from now on.`,
  openInbox: "Open the inbox",
  andName: " and ",
  nameOn: (name: string, platform: string) => `${name} (${platform})`,
  loginError: loginErrorText,

  chooseTitle: "Choose a Facebook page",
  choosePage: "Page",
  chooseKinds: "Accounts to connect",
  loadingPages: "Loading the pages of your login",
  noPages:
    "Facebook offers no page on which you may answer messages. Start again and select the page in the login. If it is not listed there, ask an admin of the page to give you the task Messages.",
  noInstagram: "No Instagram account is linked to this page.",
  messenger: "Messenger",
  instagram: (name: string) => `Instagram @${name}`,
  replaces: "Connected by an Instagram login now. Connecting it through the page replaces that.",
  renews: "Connected now. Connecting it again renews its access.",
  connectChosen: "Connect",
  chooseOne: "Choose at least one account.",
  startAgain: "Start again",
  selectProblems: {
    oauth_state_invalid: "The time to choose a page is over. Start again.",
    invalid_request: "The page or its Instagram account is no longer offered. Start again.",
    account_in_use: loginErrorText("account_in_use"),
    account_limit: loginErrorText("account_limit"),
  },
  selectRefused: (reason: string) =>
    `The platform did not connect the account.${reason === "" ? "" : ` It says: “${reason}”`} If a permission is missing, start again and grant every permission. Otherwise try again in a few minutes.`,
  cancel: "Cancel",
} as const;

interface Way {
  readonly title: string;
  readonly text: string;
  readonly needs: readonly string[];
  /** The button that opens the login. */
  readonly go: string;
}
