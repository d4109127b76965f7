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
let selected = readHash();
/** When the state was read, so that the clock goes on between two changes. */
let readAt = 0;
const listeners: ((scene: Scene) => void)[] = [];
const screenListeners: ((screen: Screen) => void)[] = [];

function readHash(): { account: string; person: string } {
  const [account = "", person = ""] = location.hash.slice(1).split("/").map(decodeURIComponent);
  return { account, person };
}

/** Calls the listener with each change. */
export function onScene(listener: (scene: Scene) => void): void {
  listeners.push(listener);
}

/** The scene, or null before the first answer. Falls back to the first account and person. */
export function currentScene(): Scene | null {
  if (state === null) return null;
  const { accounts, people, threads } = state;
  const person =
    people.find((one) => one.id === selected.person && one.account === selected.account) ??
    people.find((one) => one.account === (selected.account === "" ? accounts[0]?.key : selected.account));
  const account = accounts.find(({ key }) => key === (person?.account ?? selected.account)) ?? accounts[0];
  return { state, account, person, thread: threads.find((one) => isThreadOf(one, person)) };
}

export function isThreadOf(thread: Thread, person: Person | undefined): boolean {
  return thread.account === person?.account && thread.person === person.id;
}

/** The time by the simulator's clock. */
export function now(): number {
  return state === null ? Date.now() : state.now + (Date.now() - readAt);
}

export function showPerson(person: Person): void {
  selected = { account: person.account, person: person.id };
  history.replaceState(null, "", `#${encodeURIComponent(person.account)}/${encodeURIComponent(person.id)}`);
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

export async function refresh(): Promise<void> {
  const answer = await call<SimulatorState & { unchanged?: true }>(`/state?since=${state?.version ?? 0}`);
  if (answer.unchanged !== true) {
    state = answer;
    readAt = Date.now();
  }
  render();
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
