import { oneOf, type Texts } from "../describe/texts.ts";

/** Connected accounts, and the logins that connect them. */
export const accountTexts: Texts = {
  "/v1/accounts/{account_key}": "The key of the account: `<platform>#<external_id>`.",

  listAccounts:
    "Returns every connected account with its status, without pages. A disconnected account is not listed. Access tokens are never returned.",
  "ListAccountsData.accounts": "The connected accounts of the tenant.",
  disconnectAccount:
    "Ends the account's webhooks at the platform and deletes its access token. From then on sends for the account are 404 `account_not_found`. Conversations and messages remain readable until they expire, and connecting the same account again brings it back. `account.disconnected` is published. To connect the account again, a person logs in again; another tenant can connect it after two minutes. A test key gets 403.",
  "DisconnectAccountData.disconnected": "Always `true`: the account is disconnected.",

  Account: "A business account on a platform that a tenant connected.",
  "Account.external_id": "The platform's id of the account.",
  "Account.handle": "The user name on Instagram; on Messenger that of the page, or the page's name. Without `@`.",
  "Account.display_name": "The name that the platform shows for the account.",
  "Account.picture":
    "The address of the account's profile picture on the platform's servers, which ends after some days. Null when the platform shows none, or before it was read: by the login, or by the check that runs once a day.",
  "Account.page_id":
    "The id of the Facebook page: the Messenger account itself, or the page that the Instagram account is linked to. Null without a page.",
  "Account.status_detail":
    "Why the account has its status, mostly in the platform's words. Null when there is nothing to say.",
  "Account.refresh_error":
    "The last failure of a refresh of the access token, in the platform's words. Null after a success.",
  "Account.last_refreshed_at": "When the access token was last refreshed, in ISO 8601. Null if it never was.",
  "Account.token_expires_at":
    "When the access token ends, unless it is refreshed before, in ISO 8601. Null for a token without an end.",
  "Account.subscribed_at":
    "When a check last saw that the platform sends every webhook of the account, in ISO 8601. Null before the first check did.",
  "Account.subscription": "Whether the platform sends the webhooks of the account.",
  "Account.subscription.state": oneOf("What the checks of the subscription saw.", {
    complete: "A check of the last two days saw that the platform sends every webhook of the account.",
    stale: "The last such check is older, because checks fail or the access has ended.",
    unchecked: "No check did yet.",
  }),
  "Account.subscription.checked_at":
    "When a check last saw the subscription complete, in ISO 8601. Null before the first one did.",
  "Account.missing_since":
    "Since when messages may be missing that no webhook brought, in ISO 8601. Null when nothing is missing, and again when they were fetched.",
  "Account.human_agent_blocked_at":
    "When the platform last refused a human-agent message because the app lacks the permission, in ISO 8601. Null if it did not.",
  "Account.connection": oneOf("How the account is connected.", {
    instagram_login: "By a login of Instagram.",
    instagram_page: "As the Instagram account that is linked to a Facebook page.",
    messenger: "As a Facebook page.",
  }),

  finishInstagramLogin:
    "The platform redirects the browser here after the login. A browser is redirected to the console, with the connected account or the code of the error in the query. A caller whose `Accept` header does not name `text/html` gets the envelope. A login works once, in the browser and the session that started it.",
  "finishInstagramLogin?code":
    "The platform's code, which Parley exchanges for an access token. Absent if the login was refused.",
  "finishInstagramLogin?state": "The state that the start of the login created. It works once.",
  "finishInstagramLogin?error": "Why the person did not grant the login, in the platform's words. Absent on success.",
  "FinishInstagramLoginData.connected": "The key of the account that was connected.",
  finishMessengerLogin:
    "The platform redirects the browser here after the login. A browser is redirected to the console, where the person chooses a page, or gets the code of the error in the query. A caller whose `Accept` header does not name `text/html` gets the envelope. A login works once, in the browser and the session that started it.",
  "finishMessengerLogin?code":
    "The platform's code, which Parley exchanges for an access token. Absent if the login was refused.",
  "finishMessengerLogin?state": "The state that the start of the login created. It works once.",
  "finishMessengerLogin?error": "Why the person did not grant the login, in the platform's words. Absent on success.",
  "FinishMessengerLoginData.choose": "Always `messenger`: list the pages of the login, and connect one.",

  startInstagramLogin:
    "For a link on a page of the API's origin, and for a program: redirects to the platform, and sets a cookie for this login. Any other request of a browser gets a page that names the platform, the tenant and the signed-in address, and whose button continues. The login ends within 10 minutes in the same browser, at a path of the console, with `connected` or `error` in its query. A browser gets a redirect with `error` instead of the error.",
  "startInstagramLogin?redirect": "The path of the console at which the login ends. Any other text counts as `/`.",
  startMessengerLogin:
    "For a link on a page of the API's origin, and for a program: redirects to the platform, and sets a cookie for this login. Any other request of a browser gets a page that names the platform, the tenant and the signed-in address, and whose button continues. The login ends within 10 minutes in the same browser, at a path of the console, with `choose` or `error` in its query. A browser gets a redirect with `error` instead of the error.",
  "startMessengerLogin?redirect": "The path of the console at which the login ends. Any other text counts as `/`.",
  createInstagramLogin:
    "For the script of a console on another origin: returns the platform's URL, to which the page navigates, and sets the cookie for this login. The rest is as of the GET request.",
  "createInstagramLogin?redirect": "The path of the console at which the login ends. Any other text counts as `/`.",
  "CreateInstagramLoginData.url": "The URL of the platform's login. Navigate to it in the same browser.",
  createMessengerLogin:
    "For the script of a console on another origin: returns the platform's URL, to which the page navigates, and sets the cookie for this login. The rest is as of the GET request.",
  "createMessengerLogin?redirect": "The path of the console at which the login ends. Any other text counts as `/`.",

  listLoginPages:
    "Returns the pages for whose messages you may act, for 10 minutes after the login. Pages that you may not act for are not listed.",
  "ListLoginPagesData.pages": "The pages of the login. Empty if you may act for none.",
  LoginPage: "A Facebook page that a login gave access to.",
  "LoginPage.page_id": "The platform's id of the page.",
  "LoginPage.name": "The name of the page at the platform.",
  "LoginPage.messenger": "The page as a Messenger account.",
  "LoginPage.messenger.connected": "Whether this tenant already has the account.",
  "LoginPage.messenger.picture":
    "The address of the page's profile picture on the platform's servers. Null when the platform shows none.",
  "LoginPage.instagram": "The Instagram account that is linked to the page. Null without one.",
  "LoginPage.instagram.username": "The user name of the Instagram account.",
  "LoginPage.instagram.connected": "Whether this tenant already has the account.",
  "LoginPage.instagram.picture":
    "The address of the account's profile picture on the platform's servers. Null when the platform shows none.",
  selectLoginPage:
    "Connects the page's own account, the Instagram account that is linked to it, or both, in the order of the request. One that is connected stays so when the next is refused: an account of another tenant is 409 `account_in_use`. An account that is already connected is connected again.",
  "SelectLoginPageRequest.page_id": "The page, as `GET /oauth/messenger/pages` lists it.",
  "SelectLoginPageRequest.connect":
    "What to connect: `messenger`, the page's own account; `instagram`, the linked one; or both.",
  "SelectLoginPageData.accounts": "The accounts that were connected, in the order of the request.",
};
