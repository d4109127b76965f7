import { element, showText } from "../common/elements.ts";

const dialog = element("confirmation", HTMLDialogElement);
const title = element("confirmation-title", HTMLElement);
const problem = element("confirmation-problem", HTMLElement);
const cancel = element("cancel", HTMLButtonElement);
const confirmButton = element("confirm", HTMLButtonElement);

interface Disconnecting {
  /** Disconnects. Returns a problem, or null when it is done. */
  readonly disconnect: () => Promise<string | null>;
  /** Called once the dialog is closed. */
  readonly onDone: () => void;
}

/** Asks whether an account shall be disconnected. The dialog stays open while the call runs, and with its problem. */
export function confirmDisconnect(name: string, { disconnect, onDone }: Disconnecting): void {
  showText(title, `Disconnect ${name}?`);
  problem.textContent = "";
  setBusy(false);
  cancel.onclick = () => {
    if (!isBusy()) dialog.close();
  };
  confirmButton.onclick = () => {
    if (isBusy()) return;
    setBusy(true);
    problem.textContent = "";
    void disconnect().then((failure) => {
      setBusy(false);
      showText(problem, failure ?? "");
      if (failure !== null) return;
      dialog.close();
      onDone();
    });
  };
  // A call that runs is not canceled by closing the dialog.
  dialog.oncancel = (event) => {
    if (isBusy()) event.preventDefault();
  };
  dialog.showModal();
}

function isBusy(): boolean {
  return confirmButton.getAttribute("aria-disabled") === "true";
}

function setBusy(busy: boolean): void {
  for (const button of [confirmButton, cancel]) button.setAttribute("aria-disabled", String(busy));
  confirmButton.textContent = busy ? "Disconnecting…" : "Disconnect";
}
