/** The words of what every page uses. */
export const texts = {
  again: "Try again",
  close: "Close",
  you: "You",
  copyFailed: (text: string) => `Your browser does not allow copying. Select this and copy it: ${text}`,
  colleague: "a colleague",
  formerColleague: "a former colleague",
} as const;
