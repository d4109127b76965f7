import type { MessagingWindow } from "../../data/window.ts";

/** The words of the pane about a person. */
export const texts = {
  label: "Person",
  close: "Close",
  profile: "Profile",
  copyName: "Copy name",
  copied: "Copied",
  window: "Window",
  about: "About",
  account: "Account",
  lastWrote: "Last wrote",
  waitingSince: "Waiting since",
  storedUntil: "Stored until",
  never: "Never",
  media: "Photos of these 7 days",
  picture: "Picture",
  now: "now",
  erase: "Erase this person’s data",
  eraseTitle: "Erase this person’s data",
  eraseText: (name: string, messages: string) =>
    `${name}’s conversation and its profile, ${messages}, are erased from Parley for good. Messages in the platform’s own app stay there.`,
  /** @param isMore whether older messages are not loaded */
  counts: ({ messages, files, isMore }: { messages: number; files: number; isMore: boolean }) =>
    `${isMore ? "at least " : ""}${messages === 1 ? "1 message" : `${messages} messages`} with ${
      files === 0 ? "no file" : files === 1 ? "1 file" : `${files} files`
    }`,
  typeHandle: (handle: string) => `Type ${handle} to confirm`,
  confirm: "Erase",
  cancel: "Cancel",
  erased: (messages: number) => `Erased: ${messages === 1 ? "1 message" : `${messages} messages`}.`,
  erasing: "The erasure has started and continues in the background.",
  /** One sentence about the window. The dates are formatted. */
  sentence: (state: MessagingWindow["state"], replyEnds: string, personEnds: string) =>
    ({
      open: [`Reply until ${replyEnds}.`, `Afterwards as a person until ${personEnds}.`],
      closing: [`Reply until ${replyEnds}.`, `Afterwards as a person until ${personEnds}.`],
      person: [`As a person until ${personEnds}.`, `The 24 hours for plain replies ended ${replyEnds}.`],
      closed: [`Closed since ${personEnds}.`, "A new message from this person opens the window again."],
      none: ["This person never wrote.", "You can answer when they write."],
    })[state],
  restarts: "Every message from this person starts it again.",
} as const;
