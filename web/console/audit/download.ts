const RELEASED_AFTER_MS = 60_000;

/** Saves a text as a file. A mark at its beginning makes spreadsheets read it as UTF-8. */
export function download(name: string, csv: string): void {
  const url = URL.createObjectURL(new Blob(["\ufeff", csv], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), RELEASED_AFTER_MS);
}
