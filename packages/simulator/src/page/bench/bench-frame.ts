import { byId } from "../dom.ts";
import type { Scene } from "../store.ts";

/** A part of the test bench. What it read is rendered again when it has changed. */
export interface BenchView {
  title: string;
  text: string;
  /** Reads what the view shows. */
  read(): Promise<unknown>;
  render(content: never, scene: Scene): HTMLElement[];
}

export const benchDialog = (): HTMLDialogElement => byId("bench-dialog") as HTMLDialogElement;

export function closeBench(): void {
  benchDialog().close();
}

let update: () => Promise<void> = async () => {};

/** Sets what reads the view that is shown. */
export function onBenchUpdate(read: () => Promise<void>): void {
  update = read;
}

/** Reads the view that is shown again, at once. */
export function updateBench(): Promise<void> {
  return update();
}
