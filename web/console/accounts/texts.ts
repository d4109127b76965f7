import { loginErrorText } from "../../common/login-errors.ts";

/** The words of the page that connects accounts. */
export const texts = {
  title: "Accounts",
  intro: "Connect the Instagram accounts and Facebook pages whose messages you answer here.",
  connectInstagram: "Connect Instagram",
  connectMessenger: "Connect a Facebook page",
  opening: "Opening the login",
  none: "No account is connected yet.",
  onlyAdmins: "An admin or an owner of the workspace connects accounts.",
  loading: "Loading accounts",
  statuses: {
    active: "Connected",
    refresh_failing: "Its access could not be renewed",
    needs_reauth: "Connect it again",
    restricted: "Restricted by the platform",
  },
  missing: "Messages may be missing until they are fetched.",
  disconnect: "Disconnect",
  disconnectTitle: (name: string) => `Disconnect ${name}?`,
  disconnectText: "No new messages arrive from it. What was received stays for its 7 days.",
  disconnected: (name: string) => `${name} is disconnected.`,
  connected: "The account is connected.",
  cancel: "Cancel",
  choosePage: "Choose a page",
  noPages: "Facebook offered no page on which you may answer messages.",
  messenger: "Messenger",
  instagram: (name: string) => `Instagram @${name}`,
  connect: "Connect",
  chooseOne: "Choose at least one.",
  again: "Try again",
  loginError: loginErrorText,
} as const;
