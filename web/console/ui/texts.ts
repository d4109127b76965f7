/** The words of what every page uses. */
export const texts = {
  close: "Close",
  you: "You",
  colleague: "A colleague",
  copyFailed: (text: string) => `Your browser does not allow copying. Select this and copy it: ${text}`,
} as const;
