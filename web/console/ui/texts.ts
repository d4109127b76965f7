/** The words of what every page uses. */
export const texts = { close: "Close", you: "You" } as const;
