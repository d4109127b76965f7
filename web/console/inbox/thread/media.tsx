import { ChevronLeft, ChevronRight, FileText, MapPin, X } from "lucide-react";
import { useState } from "react";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { mediaUrl } from "../../data/safe-urls.ts";
import { sentFile } from "../../data/sent-files.ts";
import type { Message } from "../../data/types.ts";
import { useModal } from "../../ui/use-modal.ts";
import { texts } from "./texts.ts";

type Attachment = Message["attachments"][number];

/** The attachments of a message: pictures in a grid, then everything else. */
export function Attachments({ message }: { message: Message }) {
  const pictures = message.attachments.flatMap((attachment, index) =>
    attachment.type === "image" ? [mediaUrl(attachment.url, location.hostname) ?? sentFile(message.id, index)] : [],
  );
  // The story itself stands in the message.
  const hidden = message.story === null ? "image" : "story_mention";
  // Instagram's heart has no picture: the message has it as its text.
  const isText = ({ type, url }: Attachment) => type === "sticker" && url === null && message.text !== "";
  const others = message.attachments.filter(
    (attachment) => attachment.type !== "image" && attachment.type !== hidden && !isText(attachment),
  );
  return (
    <>
      {pictures.length > 0 ? <Pictures urls={pictures} isSent={message.direction !== "inbound"} /> : null}
      {others.map((attachment, index) => (
        // The attachments of a message never change their places.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed
        <Other key={index} attachment={attachment} platform={message.platform} />
      ))}
    </>
  );
}

interface PicturesProps {
  readonly urls: readonly (string | null)[];
  /** The platform names the address of a sent picture after a moment. */
  readonly isSent: boolean;
}

function Pictures({ urls, isSent }: PicturesProps) {
  const [openAt, setOpenAt] = useState<number | null>(null);
  return (
    <div className={urls.length === 1 ? "pics one" : "pics"}>
      {urls.map((url, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed
        <Picture key={index} url={url} isSent={isSent} onOpen={() => setOpenAt(index)} />
      ))}
      {openAt === null ? null : <Lightbox urls={urls} start={openAt} onClose={() => setOpenAt(null)} />}
    </div>
  );
}

function Picture({ url, isSent, onOpen }: { url: string | null; isSent: boolean; onOpen: () => void }) {
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  if (url === null || url === brokenUrl) {
    return <span className="gone-media">{url === null && isSent ? texts.pictureSent : texts.mediaGone}</span>;
  }
  return (
    <button type="button" className="pic" onClick={onOpen} aria-label={texts.picture}>
      <img
        src={url}
        alt=""
        loading="lazy"
        decoding="async"
        referrerPolicy="no-referrer"
        onError={() => setBrokenUrl(url)}
      />
    </button>
  );
}

interface LightboxProps {
  readonly urls: readonly (string | null)[];
  readonly start: number;
  readonly onClose: () => void;
}

/** The pictures of a message over the page. The arrow keys change the picture, Escape closes. */
export function Lightbox({ urls, start, onClose }: LightboxProps) {
  const [index, setIndex] = useState(start);
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  const dialog = useModal();
  const move = (step: number) => setIndex((at) => (at + step + urls.length) % urls.length);
  const url = urls[index];
  return (
    <dialog
      ref={dialog}
      className="lightbox"
      aria-label={texts.picture}
      onClose={onClose}
      onKeyDown={({ key }) => {
        if (key === "ArrowRight") move(1);
        if (key === "ArrowLeft") move(-1);
      }}
    >
      {url && url !== brokenUrl ? (
        <img src={url} alt={texts.picture} referrerPolicy="no-referrer" onError={() => setBrokenUrl(url)} />
      ) : (
        <p>{texts.mediaGone}</p>
      )}
      <button type="button" className="icon close" aria-label={texts.close} onClick={onClose}>
        <X size={22} />
      </button>
      {urls.length > 1 ? (
        <>
          <button type="button" className="icon previous" aria-label={texts.previous} onClick={() => move(-1)}>
            <ChevronLeft size={26} />
          </button>
          <button type="button" className="icon next" aria-label={texts.next} onClick={() => move(1)}>
            <ChevronRight size={26} />
          </button>
        </>
      ) : null}
    </dialog>
  );
}

function Other({ attachment, platform }: { attachment: Attachment; platform: Message["platform"] }) {
  const [isGone, setGone] = useState(false);
  const { type, title, coordinates } = attachment;
  const url = mediaUrl(attachment.url, location.hostname);
  const name = printableText(title ?? "");
  if (type === "location") {
    return (
      <span className="file-line">
        <MapPin size={18} aria-hidden="true" />
        {coordinates ? (
          <a
            className="link"
            href={`https://www.openstreetmap.org/?mlat=${coordinates.lat}&mlon=${coordinates.long}`}
            target="_blank"
            rel="noreferrer"
          >
            {name || texts.location}
          </a>
        ) : (
          name || texts.location
        )}
      </span>
    );
  }
  if (type === "unsupported") {
    return <AppNote text={texts.unsupported(platform)} platform={platform} />;
  }
  if (url === null || isGone) return <span className="gone-media">{texts.mediaGone}</span>;
  if (type === "video") {
    // biome-ignore lint/a11y/useMediaCaption: the platforms give no captions
    return <video className="video" src={url} controls preload="metadata" onError={() => setGone(true)} />;
  }
  if (type === "audio") {
    // biome-ignore lint/a11y/useMediaCaption: the platforms give no captions
    return <audio className="audio" src={url} controls preload="metadata" onError={() => setGone(true)} />;
  }
  if (type === "sticker" || type === "story_mention") {
    return (
      <img
        className="sticker"
        src={url}
        alt={texts.sticker}
        referrerPolicy="no-referrer"
        onError={() => setGone(true)}
      />
    );
  }
  return (
    <a className="file-line link" href={url} target="_blank" rel="noreferrer">
      <FileText size={18} aria-hidden="true" />
      <span dir="auto">{name || (type === "share" ? texts.share : texts.download)}</span>
    </a>
  );
}

/** Says what the thread does not show, with a link to the platform's app, which does. */
export function AppNote({ text, platform }: { text: string } & Pick<Message, "platform">) {
  const app =
    platform === "instagram" ? "https://www.instagram.com/direct/inbox/" : "https://business.facebook.com/latest/inbox";
  return (
    <span className="note">
      {text}{" "}
      <a className="link" href={app} target="_blank" rel="noreferrer">
        {texts.openApp(platform)}
      </a>
    </span>
  );
}
