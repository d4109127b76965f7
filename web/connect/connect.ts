import { create, element, showText } from "../common/elements.ts";
import { loginErrorText } from "../common/login-errors.ts";
import { CONNECT_PAGE, SIGN_IN_PAGE, signInPage } from "../common/pages.ts";
import { endSessions, readSession, type Session } from "../common/session.ts";
import { hideAccounts, showAccounts } from "./account-list.ts";
import { accountName, platformName } from "./account-texts.ts";
import {
  type Account,
  type CallResult,
  disconnectAccount,
  listAccounts,
  listPages,
  listWorkspaces,
  type Selection,
  selectPage,
  type Workspace,
} from "./calls.ts";
import { confirmDisconnect } from "./confirmation.ts";
import { hideChoice, showChoice } from "./page-choice.ts";
import { clearResult, showResult } from "./result.ts";
import { refusedReadText, refusedWriteText, UNREACHABLE } from "./result-texts.ts";

// The page that connects accounts on the host of the API. A login leads back to it with its
// result in the query: `connected`, `choose` or `error`. `tenant` is the workspace.

const person = element("person", HTMLElement);
const email = element("email", HTMLElement);
const signOut = element("sign-out", HTMLButtonElement);
const onlyWorkspace = element("only-workspace", HTMLElement);
const workspaceChoice = element("workspaces", HTMLElement);
const workspaceSelect = element("workspace", HTMLSelectElement);
const invitedBy = element("invited-by", HTMLElement);
const loading = element("loading", HTMLElement);
const retry = element("retry", HTMLButtonElement);
const connectSection = element("connect", HTMLElement);
const connectInstagram = element("connect-instagram", HTMLAnchorElement);
const connectPage = element("connect-page", HTMLAnchorElement);
const readOnly = element("read-only", HTMLElement);

/** What the page works on, once it is loaded. */
interface View {
  readonly session: Session;
  readonly workspace: Workspace;
  readonly canManage: boolean;
  accounts: readonly Account[];
}

const query = new URLSearchParams(location.search);
/** The result of a login, which is shown once. */
let loginResult = { connected: query.get("connected"), error: query.get("error") };
let isChoosing = query.get("choose") === "messenger";
let view: View | null = null;

void start();

async function start(): Promise<void> {
  setLoading(true);
  const [session, workspaces] = await Promise.all([readSession(), listWorkspaces()]);
  if (session === "none" || isSignedOut(workspaces)) return toSignIn(query.get("tenant"));
  if (session === null || workspaces.kind !== "ok") return showLoadProblem(workspaces, start);
  setLoading(false);
  showPerson(session);
  const { data } = workspaces;
  if (data.length === 0) {
    return showResult("problem", "You are not a member of a workspace. Ask the owner of a workspace for an invite.");
  }
  const named = data.find(({ id }) => id === query.get("tenant"));
  const workspace = named ?? (data.length === 1 ? data[0] : undefined);
  showWorkspaces(session, data, workspace);
  if (workspace) return openWorkspace(session, workspace);
  showLoginResult([]);
}

function showPerson(session: Session): void {
  showText(email, `Signed in as ${session.email}.`);
  person.hidden = false;
  signOut.onclick = () => {
    if (signOut.getAttribute("aria-disabled") === "true") return;
    signOut.setAttribute("aria-disabled", "true");
    void endSessions(session).then((isEnded) => {
      if (isEnded) return location.replace(SIGN_IN_PAGE);
      signOut.setAttribute("aria-disabled", "false");
      showResult("problem", "Parley could not sign you out. Try again.");
    });
  };
}

function showWorkspaces(session: Session, workspaces: readonly Workspace[], current: Workspace | undefined): void {
  const [first] = workspaces;
  if (workspaces.length === 1 && first) {
    showText(onlyWorkspace, `Workspace: ${first.name} (${first.id})`);
    onlyWorkspace.hidden = false;
    return;
  }
  // Names repeat, slugs do not.
  const options = workspaces.map((workspace) => {
    const { id, name } = workspace;
    const inviter = inviterOf(workspace);
    return create("option", { value: id }, `${name} (${id})${inviter === null ? "" : `, invited by ${inviter}`}`);
  });
  const placeholder = create("option", { value: "", disabled: "" }, "Choose a workspace");
  workspaceSelect.replaceChildren(...(current ? [] : [placeholder]), ...options);
  workspaceSelect.value = current?.id ?? "";
  workspaceSelect.onchange = () => {
    const workspace = workspaces.find(({ id }) => id === workspaceSelect.value);
    if (!workspace) return;
    // A page choice and the result of a login belong to the workspace of the login.
    isChoosing = false;
    loginResult = { connected: null, error: null };
    clearResult();
    void openWorkspace(session, workspace);
  };
  workspaceChoice.hidden = false;
}

/** Shows a workspace. Its name stays in the URL, so that a reload and a login lead back to it. */
async function openWorkspace(session: Session, workspace: Workspace): Promise<void> {
  hideWorkspace();
  setLoading(true);
  history.replaceState(null, "", pagePath(workspace.id, isChoosing));
  const nextView: View = { session, workspace, canManage: workspace.role !== "agent", accounts: [] };
  view = nextView;
  const result = await listAccounts(workspace.id);
  // The person chose another workspace since then.
  if (view !== nextView) return;
  if (isSignedOut(result)) return toSignIn(workspace.id);
  if (result.kind !== "ok") return showLoadProblem(result, () => openWorkspace(session, workspace));
  setLoading(false);
  nextView.accounts = result.data;
  showView(nextView);
  showLoginResult(nextView.accounts);
  if (isChoosing && nextView.canManage) await openChoice(nextView);
}

/** Who invited the person; null for a workspace that they created. */
function inviterOf({ invited_by, invited_by_email }: Workspace): string | null {
  return invited_by === "cli" ? "the operator" : (invited_by_email ?? null);
}

function hideWorkspace(): void {
  hideAccounts();
  hideChoice();
  connectSection.hidden = true;
  readOnly.hidden = true;
  invitedBy.hidden = true;
}

function showView(current: View): void {
  const { workspace, accounts, canManage } = current;
  const inviter = inviterOf(workspace);
  showText(invitedBy, inviter === null ? "" : `You are a member by an invite of ${inviter}.`);
  invitedBy.hidden = inviter === null;
  const loginUrl = (login: "instagram" | "messenger") =>
    `/oauth/${login}/start?${new URLSearchParams({ tenant: workspace.id, redirect: pagePath(workspace.id) })}`;
  const onDisconnect = (account: Account) => askToDisconnect(current, account);
  showAccounts(accounts, canManage ? { loginUrl, onDisconnect } : null);
  connectInstagram.href = loginUrl("instagram");
  connectPage.href = loginUrl("messenger");
  connectSection.hidden = !canManage;
  readOnly.hidden = canManage;
}

function showLoginResult(accounts: readonly Account[]): void {
  const { connected, error } = loginResult;
  loginResult = { connected: null, error: null };
  if (error !== null) {
    showResult("problem", loginErrorText(error));
  } else if (connected !== null) {
    const account = accounts.find(({ key }) => key === connected);
    showResult("done", account ? connectedText([account]) : "The account is connected.");
  }
}

function connectedText(accounts: readonly Account[]): string {
  const names = accounts.map((account) => `${accountName(account)} (${platformName(account.platform)})`);
  return `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} connected. Parley receives new messages from now on.`;
}

async function openChoice(current: View): Promise<void> {
  setLoading(true);
  const result = await listPages(current.workspace.id);
  if (view !== current) return;
  setLoading(false);
  if (isSignedOut(result)) return toSignIn(current.workspace.id);
  if (result.kind === "ok") {
    const onSelect = (selection: Selection) => select(current, selection);
    return showChoice(result.data, current.accounts, { onSelect, onCancel: () => endChoice(current) });
  }
  if (result.kind === "refused" && result.code === "oauth_state_invalid") {
    endChoice(current);
    return showResult("problem", "The time to choose a page is over. Connect a Facebook page again.");
  }
  const text = result.kind === "refused" ? refusedWriteText(result) : UNREACHABLE;
  showResult("problem", text);
  offerRetry(() => openChoice(current));
}

function endChoice({ workspace }: View): void {
  isChoosing = false;
  history.replaceState(null, "", pagePath(workspace.id));
  hideChoice();
  element("title", HTMLElement).focus();
}

/** @returns a problem, or null when the accounts are connected */
async function select(current: View, selection: Selection): Promise<string | null> {
  const { session, workspace } = current;
  const result = await selectPage(workspace.id, selection, session.csrf_token);
  if (view !== current) return null;
  if (isSignedOut(result)) return leave(workspace.id);
  if (result.kind === "ok") {
    const keys = new Set(result.data.map(({ key }) => key));
    current.accounts = [...current.accounts.filter(({ key }) => !keys.has(key)), ...result.data];
    showView(current);
    endChoice(current);
    showResult("done", connectedText(result.data), { focus: true });
    return null;
  }
  // The first account may be connected, although the second one was refused or the answer was lost.
  const accounts = await listAccounts(workspace.id);
  if (view === current && accounts.kind === "ok") {
    current.accounts = accounts.data;
    showView(current);
  }
  if (result.kind === "unreachable") return UNREACHABLE;
  if (result.code === "oauth_state_invalid") return "The time to choose a page is over. Connect a Facebook page again.";
  return refusedWriteText(result);
}

function askToDisconnect(current: View, account: Account): void {
  const name = `${accountName(account)} (${platformName(account.platform)})`;
  const disconnect = async () => {
    const { session, workspace } = current;
    const result = await disconnectAccount(workspace.id, account.key, session.csrf_token);
    if (isSignedOut(result)) return leave(workspace.id);
    const isGone = result.kind === "refused" && result.code === "account_not_found";
    if (result.kind === "unreachable") return UNREACHABLE;
    if (result.kind === "refused" && !isGone) return refusedWriteText(result);
    current.accounts = current.accounts.filter(({ key }) => key !== account.key);
    return null;
  };
  const onDone = () => {
    showView(current);
    showResult("done", `${name} is disconnected.`, { focus: true });
  };
  confirmDisconnect(name, { disconnect, onDone });
}

/** The path of this page. @param choose whether the person chooses a page */
function pagePath(workspace: string, choose = false): string {
  return `${CONNECT_PAGE}?${new URLSearchParams({ tenant: workspace, ...(choose ? { choose: "messenger" } : {}) })}`;
}

function isSignedOut(result: CallResult<unknown>): boolean {
  return result.kind === "refused" && result.status === 401;
}

function toSignIn(workspace: string | null): void {
  location.replace(signInPage(workspace === null ? CONNECT_PAGE : pagePath(workspace, isChoosing)));
}

/** Redirects to the sign-in page, and reports that there is no more to do here. */
function leave(workspace: string): null {
  toSignIn(workspace);
  return null;
}

function showLoadProblem(result: CallResult<unknown>, load: () => Promise<void>): void {
  setLoading(false);
  showResult("problem", result.kind === "refused" ? refusedReadText(result) : UNREACHABLE);
  offerRetry(load);
}

function offerRetry(load: () => Promise<void>): void {
  retry.hidden = false;
  retry.onclick = () => {
    clearResult();
    void load();
  };
}

function setLoading(isLoading: boolean): void {
  loading.hidden = !isLoading;
  retry.hidden = true;
}
