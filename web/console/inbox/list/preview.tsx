import { FileText, Image, MapPin, Mic, Reply, Share2, Smile, Video } from "lucide-react";
import { printableText } from "../../../../packages/client/src/printable.ts";
import type { Presence } from "../../data/live-inbox.ts";
import type { Conversation } from "../../data/types.ts";
import { ReadingMark, Words } from "../../presence/colleagues.tsx";
import { texts } from "./texts.ts";

const icons = {
  image: Image,
  video: Video,
  audio: Mic,
  file: FileText,
  share: Share2,
  sticker: Smile,
  location: MapPin,
} as const;

interface PreviewProps {
  readonly conversation: Conversation;
  readonly draft: string;
  readonly colleagues: readonly Presence[];
}

/** The last message in one line, or that a colleague writes. */
export function Preview({ conversation, draft, colleagues }: PreviewProps) {
  const writing = colleagues.filter(({ state }) => state === "writing");
  if (writing.length > 0) {
    return (
      <span className="text">
        <Words colleagues={writing} />
      </span>
    );
  }
  const mark = colleagues.length === 0 ? null : <ReadingMark colleagues={colleagues} />;
  if (draft !== "") {
    return (
      <span className="text draft">
        {mark}
        <b>{texts.draft}</b>
        <span dir="auto">{oneLine(draft)}</span>
      </span>
    );
  }
  const { last_message, last_message_text } = conversation;
  const Icon = last_message.kind in icons ? icons[last_message.kind as keyof typeof icons] : null;
  const words = oneLine(last_message_text) || (texts.kinds[last_message.kind] ?? texts.otherKind);
  return (
    <span className="text">
      {mark}
      {last_message.direction === "inbound" ? null : <Reply size={14} aria-label={texts.you} />}
      {Icon && last_message_text === "" ? <Icon size={14} aria-hidden="true" /> : null}
      <span dir="auto">{words}</span>
    </span>
  );
}

function oneLine(text: string): string {
  return printableText(text).replace(/\s+/g, " ").trim();
}
