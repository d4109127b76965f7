import { ExternalLink, Trash2, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { deadline, fullTime, timeOfDay } from "../../common/times.ts";
import { useCopy } from "../../common/use-copy.ts";
import { PERSON_WINDOW, REPLY_WINDOW, RETENTION } from "../../data/durations.ts";
import { messagesOf } from "../../data/message-book.ts";
import { personHandle, personName, profileLink } from "../../data/names.ts";
import { mediaUrl } from "../../data/safe-urls.ts";
import { type Conversation, millis } from "../../data/types.ts";
import { windowOf } from "../../data/window.ts";
import { useConversation, useServerTime, useThread, useWorkspace } from "../../data/workspace.tsx";
import { Face } from "../../ui/avatar.tsx";
import { PlatformGlyph } from "../../ui/platform-glyph.tsx";
import { Ring } from "../../ui/ring.tsx";
import { useModal } from "../../ui/use-modal.ts";
import { Lightbox } from "../thread/media.tsx";
import { EraseDialog } from "./erase-dialog.tsx";
import { texts } from "./texts.ts";
import { WeekStrip } from "./week-strip.tsx";
import "./person.css";

interface PersonPaneProps {
  readonly id: string;
  /** Over the page instead of beside the thread. */
  readonly isSheet: boolean;
  readonly onClose: () => void;
}

/** What is known of the person, and until when they can be answered. */
export function PersonPane({ id, isSheet, onClose }: PersonPaneProps) {
  const conversation = useConversation(id);
  if (conversation === null) return null;
  const content = <Content conversation={conversation} />;
  return isSheet ? (
    <Sheet onClose={onClose}>{content}</Sheet>
  ) : (
    <aside className="who" aria-label={texts.label}>
      {content}
    </aside>
  );
}

function Sheet({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const dialog = useModal();
  return (
    <dialog ref={dialog} className="who sheet" aria-label={texts.label} onClose={onClose}>
      <button type="button" className="icon close" aria-label={texts.close} onClick={onClose}>
        <X size={20} />
      </button>
      {children}
    </dialog>
  );
}

function Content({ conversation }: { conversation: Conversation }) {
  const { person } = useWorkspace();
  const copy = useCopy();
  const now = useServerTime();
  const [isErasing, setErasing] = useState(false);
  const window = windowOf(conversation, now);
  const name = printableText(personName(conversation));
  const handle = printableText(personHandle(conversation));
  const profile = profileLink(conversation);
  const inbound = conversation.last_inbound_at === null ? null : millis(conversation.last_inbound_at);
  const [bold, rest] = texts.sentence(
    window.state,
    inbound === null ? "" : deadline(inbound + REPLY_WINDOW, now),
    inbound === null ? "" : deadline(inbound + PERSON_WINDOW, now),
  );
  return (
    <>
      <div className="who-head">
        <Ring window={window}>
          <Face name={name} id={conversation.participant_id} size={70} picture={conversation.participant_picture} />
          <PlatformGlyph platform={conversation.platform} />
        </Ring>
        <h2 dir="auto">{name}</h2>
        {handle === "" ? null : (
          <p>
            <bdi>@{handle}</bdi>
          </p>
        )}
        <div className="acts">
          {profile === null ? null : (
            <a className="btn quiet" href={profile} target="_blank" rel="noreferrer">
              {texts.profile} <ExternalLink size={14} aria-hidden="true" />
            </a>
          )}
          <button type="button" className="btn quiet" onClick={() => void copy(personName(conversation), texts.copied)}>
            {texts.copyName}
          </button>
        </div>
      </div>
      <section className="sec">
        <h3>{texts.window}</h3>
        <WeekStrip lastInboundAt={inbound} now={now} />
        <p>
          <b>{bold}</b> {rest}
        </p>
        {window.state === "none" || window.state === "closed" ? null : <p className="soft">{texts.restarts}</p>}
      </section>
      <section className="sec">
        <h3>{texts.about}</h3>
        <dl className="facts">
          <Fact name={texts.account}>
            <bdi>@{printableText(conversation.account_handle)}</bdi>
          </Fact>
          <Fact name={texts.lastWrote}>{inbound === null ? texts.never : moment(inbound)}</Fact>
          {conversation.waiting_since === null ? null : (
            <Fact name={texts.waitingSince}>{moment(millis(conversation.waiting_since))}</Fact>
          )}
          <Fact name={texts.storedUntil}>{moment(millis(conversation.last_message_at) + RETENTION)}</Fact>
        </dl>
      </section>
      <Media id={conversation.id} />
      {person.role === "agent" ? null : (
        <section className="sec">
          <button type="button" className="erase" onClick={() => setErasing(true)}>
            <Trash2 size={15} aria-hidden="true" /> {texts.erase}
          </button>
          {isErasing ? <EraseDialog conversation={conversation} onClose={() => setErasing(false)} /> : null}
        </section>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** The newest pictures of the messages that are loaded. */
function Media({ id }: { id: string }) {
  const thread = useThread(id);
  const [openAt, setOpenAt] = useState<number | null>(null);
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const urls = (thread ? messagesOf(thread.book) : [])
    .flatMap(({ attachments }) => attachments)
    .filter(({ type }) => type === "image")
    .map(({ url }) => mediaUrl(url, location.hostname))
    .filter((url) => url !== null)
    .filter((url) => !gone.has(url))
    .filter((url, index, all) => all.indexOf(url) === index)
    .slice(-9)
    .reverse();
  if (urls.length === 0) return null;
  return (
    <section className="sec">
      <h3>{texts.media}</h3>
      <div className="media">
        {urls.map((url, index) => (
          <button type="button" key={url} className="pic" onClick={() => setOpenAt(index)} aria-label={texts.picture}>
            <img
              src={url}
              alt=""
              loading="lazy"
              referrerPolicy="no-referrer"
              onError={() => setGone((before) => new Set(before).add(url))}
            />
          </button>
        ))}
      </div>
      {openAt === null ? null : <Lightbox urls={urls} start={openAt} onClose={() => setOpenAt(null)} />}
    </section>
  );
}

const dayMonth = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

function moment(at: number): ReactNode {
  return (
    <time dateTime={new Date(at).toISOString()} title={fullTime(at)}>
      {dayMonth.format(at)}, {timeOfDay(at)}
    </time>
  );
}
