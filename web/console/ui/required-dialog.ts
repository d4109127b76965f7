/** Whether a dialog is open that must be answered: nothing else may open over it, or leave its page. */
export function isDialogRequired(): boolean {
  return document.querySelector("dialog[open][data-required]") !== null;
}
