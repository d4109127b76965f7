import { byId, replaceChildren, setText } from "../dom.ts";
import { attachMenu } from "../menu.ts";
import { notifyProblem } from "../notices.ts";
import type { Scene } from "../store.ts";
import { benchDialog, closeBench, onBenchUpdate } from "./bench-frame.ts";
import { receiversView } from "./receivers-view.ts";
import { scenariosView } from "./scenarios-view.ts";
import { webhooksView } from "./webhooks-view.ts";

const views = { scenarios: scenariosView, webhooks: webhooksView, receivers: receiversView };
type ViewName = keyof typeof views;

/** The view that is shown; null while the dialog is closed. */
let shown: ViewName | null = null;
let content: unknown;
let version = -1;
let isReading = false;

function open(name: ViewName): void {
  shown = name;
  content = undefined;
  version = -1;
  const { title, text } = views[name];
  setText(byId("bench-title"), title);
  setText(byId("bench-text"), text);
  delete byId("bench-content").dataset.shape;
  byId("bench-content").replaceChildren("Loading…");
  benchDialog().showModal();
  void update();
}

/** Reads the view again, at once. */
async function update(): Promise<void> {
  const name = shown;
  if (name === null || isReading) return;
  isReading = true;
  try {
    const read = await views[name].read();
    if (shown === name) content = read;
    draw();
  } catch (error) {
    notifyProblem(error);
  } finally {
    isReading = false;
  }
}

let scene: Scene | null = null;

/** Renders the view, and reads it again if the state has changed. */
export function drawBench(next: Scene): void {
  scene = next;
  draw();
  if (shown === null || next.state.version === version) return;
  version = next.state.version;
  void update();
}

function draw(): void {
  if (shown === null || scene === null || content === undefined) return;
  const current = scene;
  const { render } = views[shown];
  const shape = [shown, content, current.state.scenario, current.account?.key];
  replaceChildren(byId("bench-content"), shape, () => render(content as never, current));
}

export function connectBench(): void {
  onBenchUpdate(update);
  attachMenu(byId("bench") as HTMLButtonElement, {
    label: "Test bench",
    entries: () => [
      { label: "Run a scenario…", run: () => open("scenarios") },
      { label: "Webhooks…", run: () => open("webhooks") },
      { label: "Scripted receivers…", run: () => open("receivers") },
    ],
  });
  byId("bench-close").addEventListener("click", closeBench);
  benchDialog().addEventListener("close", () => {
    shown = null;
  });
}
