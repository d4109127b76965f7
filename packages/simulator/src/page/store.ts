import type { Account, Person, Thread } from "../world/model.ts";
import { type ActionAnswer, call, type SimulatorState } from "./api.ts";

/** What the page shows: the state, and the person that the developer writes as. */
export interface Scene {
  state: SimulatorState;
  account: Account | undefined;
  person: Person | undefined;
  thread: Thread | undefined;
}

export type Screen = "list" | "thread" | "details";

let state: SimulatorState | null = null;
let selected = readAddress();
/** When the state was read, so that the clock goes on between two changes. */
let readAt = 0;
const listeners: ((scene: Scene) => void)[] = [];
const screenListeners: ((screen: Screen) => void)[] = [];

/** The address of a thread is `#<account>/<person>`. A broken one selects the first thread. */
function readAddress(): { account: string; person: string } {
  try {
    const [account = "", person = ""] = location.hash.slice(1).split("/").map(decodeURIComponent);
    return { account, person };
  } catch {
    return { account: "", person: "" };
  }
}

/** Shows the thread of the address when the person goes back or forward, or opens another address in this tab. */
export function connectAddress(): void {
  if (selected.person !== "") showScreen("thread");
  addEventListener("popstate", () => {
    // A link with the token is none of a thread.
    if (location.hash.startsWith("#token=")) return;
    selected = readAddress();
    showScreen(selected.person === "" ? "list" : "thread");
    render();
  });
}

/** Calls the listener with each change. */
export function onScene(listener: (scene: Scene) => void): void {
  listeners.push(listener);
}

/** The scene, or null before the first answer. Falls back to the first account and person. */
export function currentScene(): Scene | null {
  if (state === null) return null;
  const { accounts, people, threads } = state;
  const key = accounts.some((one) => one.key === selected.account) ? selected.account : accounts[0]?.key;
  const person =
    people.find((one) => one.id === selected.person && one.account === key) ??
    people.find((one) => one.account === key);
  const account = accounts.find((one) => one.key === key);
  return { state, account, person, thread: threads.find((one) => isThreadOf(one, person)) };
}

export function isThreadOf(thread: Thread, person: Person | undefined): boolean {
  return thread.account === person?.account && thread.person === person.id;
}

/** The time by the simulator's clock. */
export function now(): number {
  return state === null ? Date.now() : state.now + (Date.now() - readAt);
}

/** Selects the person, and adds the address of their thread to the history of the tab. */
export function showPerson(person: Person): void {
  selected = { account: person.account, person: person.id };
  const address = `#${encodeURIComponent(person.account)}/${encodeURIComponent(person.id)}`;
  if (location.hash !== address) history.pushState(null, "", address);
  render();
}

/** On a narrow screen, one of the three panes is shown. */
export function showScreen(screen: Screen): void {
  if (document.body.dataset.screen === screen) return;
  document.body.dataset.screen = screen;
  for (const listener of screenListeners) listener(screen);
}

/** Calls the listener when another pane is shown. A hidden pane has no size. */
export function onScreen(listener: (screen: Screen) => void): void {
  screenListeners.push(listener);
}

export function currentScreen(): Screen {
  return (document.body.dataset.screen ?? "list") as Screen;
}

export function render(): void {
  const scene = currentScene();
  if (scene !== null) for (const listener of listeners) listener(scene);
}

/** Reads the state and returns it. */
export async function refresh(): Promise<SimulatorState> {
  const answer = await call<SimulatorState & { unchanged?: true }>(`/state?since=${state?.version ?? 0}`);
  const newest = answer.unchanged === true && state !== null ? state : answer;
  if (newest !== state) readAt = Date.now();
  state = newest;
  render();
  return newest;
}

/** The fields that name the selected account and person. */
export function target(scene: Scene): { account: string; connection: string; person: string } {
  const { account, person } = scene;
  return { account: account?.externalId ?? "", connection: account?.connection ?? "", person: person?.id ?? "" };
}

/** Performs an action. The thread shows it before its webhook is answered. Throws with the reason if it is refused. */
export async function act(path: string, body: unknown): Promise<ActionAnswer> {
  const answer = call<ActionAnswer>(path, body);
  setTimeout(() => void refresh().catch(() => {}), 80);
  const result = await answer;
  await refresh();
  return result;
}
