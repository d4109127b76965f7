import { Check, Reply } from "lucide-react";
import { memo, useState } from "react";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { fullTime, timeOfDay } from "../../common/times.ts";
import { mediaUrl } from "../../data/safe-urls.ts";
import { type Message, millis } from "../../data/types.ts";
import { Text } from "../../ui/text.tsx";
import { AppNote, Attachments } from "./media.tsx";
import { texts } from "./texts.ts";

export interface BubbleProps {
  readonly message: Message;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Who of the team sent it; null when it was a program. */
  readonly author: string | null;
  /** The message that it replies to; null when it replies to none, undefined when that one is not loaded. */
  readonly quoted: Message | null | undefined;
  readonly isMarked: boolean;
  readonly onReply: (message: Message) => void;
  readonly onJump: (id: string) => void;
}

/** One message. */
export const Bubble = memo(function Bubble(props: BubbleProps) {
  const { message, isFirst, isLast, author, onReply } = props;
  const side = message.direction === "inbound" ? "in" : "out";
  const isNative = message.sent_via === "native_app" || message.sent_via === "other_app";
  const classes = [
    "m",
    side,
    isFirst ? "lead" : "",
    isLast ? "last" : "",
    isNative ? "native" : "",
    props.isMarked ? "marked" : "",
  ];
  return (
    <div className={classes.filter(Boolean).join(" ")} data-message={message.id}>
      <div className="line">
        {message.deleted_at === null ? <Content {...props} /> : <div className="bub unsent">{texts.unsent}</div>}
        {message.deleted_at === null ? (
          <button
            type="button"
            className="icon answer"
            title={texts.reply}
            aria-label={texts.reply}
            onClick={() => onReply(message)}
          >
            <Reply size={16} />
          </button>
        ) : null}
      </div>
      {isLast || message.edited_at !== null ? <Meta message={message} author={author} /> : null}
    </div>
  );
});

function Content({ message, quoted, onJump }: BubbleProps) {
  const hasText = message.text !== "" || message.postback !== null;
  return (
    <div className="stack">
      {message.attachments.length > 0 ? <Attachments message={message} /> : null}
      {hasText || message.story || message.reply_to || message.attachments.length === 0 ? (
        <div className="bub">
          {message.story ? <Story story={message.story} /> : null}
          {message.reply_to === null ? null : <Quote quoted={quoted} onJump={onJump} />}
          {message.postback ? (
            <span className="postback">
              {texts.postback}: <bdi>{printableText(message.postback.title ?? message.postback.payload ?? "")}</bdi>
            </span>
          ) : message.text === "" ? null : (
            <Text text={message.text} />
          )}
          {message.text_truncated ? <AppNote text={texts.truncated} platform={message.platform} /> : null}
          {hasText || message.story || message.attachments.length > 0 ? null : <i>{texts.empty}</i>}
        </div>
      ) : null}
      {message.reactions.length > 0 ? (
        <span className="react">
          {message.reactions.map(({ by, emoji }) => (
            <span key={by} title={by === "account" ? "You" : undefined}>
              {printableText(emoji ?? "❤").slice(0, 16)}
            </span>
          ))}
        </span>
      ) : null}
    </div>
  );
}

function Story({ story }: { story: NonNullable<Message["story"]> }) {
  const [isGone, setGone] = useState(false);
  const url = mediaUrl(story.url, location.hostname);
  return (
    <span className="quote">
      {url === null || isGone ? null : (
        <img className="thumb" src={url} alt="" referrerPolicy="no-referrer" onError={() => setGone(true)} />
      )}
      <span>
        {story.kind === "mention" ? texts.storyMention : texts.storyReply}
        {url === null || isGone ? (
          <>
            <br />
            {texts.storyGone}
          </>
        ) : null}
      </span>
    </span>
  );
}

function Quote({ quoted, onJump }: Pick<BubbleProps, "quoted" | "onJump">) {
  if (!quoted) {
    return (
      <span className="quote">
        {texts.quoted} {texts.quotedGone}
      </span>
    );
  }
  const words = printableText(quoted.text) || (quoted.attachments.length > 0 ? texts.picture : texts.unsent);
  return (
    <button type="button" className="quote" onClick={() => onJump(quoted.id)}>
      <span className="unseen">{texts.quoted}: </span>
      <span dir="auto" className="quote-text">
        {words}
      </span>
    </button>
  );
}

function Meta({ message, author }: { message: Message; author: string | null }) {
  const at = millis(message.sent_at);
  const parts = [
    <time key="time" dateTime={message.sent_at} title={fullTime(at)}>
      {timeOfDay(at)}
    </time>,
  ];
  const words = [
    message.edited_at === null ? "" : texts.edited,
    message.direction === "inbound" ? "" : authorText(message, author),
  ];
  for (const text of words.filter(Boolean)) parts.push(<span key={text}>{text}</span>);
  return (
    <div className="meta">
      {parts}
      {message.direction === "outbound" ? <Check size={14} aria-label={texts.sent} /> : null}
    </div>
  );
}

function authorText({ sent_via, platform }: Message, author: string | null): string {
  if (sent_via === "native_app") return texts.fromApp(platform);
  if (sent_via === "other_app") return texts.otherApp;
  const name = author ?? texts.program;
  return sent_via === "api_human_agent" ? texts.asPerson(name) : name;
}
