const conversations = (count: number) => (count === 1 ? "1 conversation" : `${count} conversations`);

/** The words of notifications. */
export const texts = {
  app: "Parley",
  messages: (count: number) => (count === 1 ? "New message" : `${count} new messages`),
  conversations: (messages: number, count: number) => `${messages} new messages in ${conversations(count)}`,
  /** A message without a text. */
  other: "New message",
} as const;
