import { memo } from "react";
import { Link } from "wouter";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { fullTime, shortAge } from "../../common/times.ts";
import { personHandle, personName } from "../../data/names.ts";
import { type Conversation, millis } from "../../data/types.ts";
import { windowOf } from "../../data/window.ts";
import { inboxPath } from "../../paths.ts";
import { useColleagues } from "../../presence/colleagues.tsx";
import { Face } from "../../ui/avatar.tsx";
import { Pill } from "../../ui/pill.tsx";
import { PlatformGlyph } from "../../ui/platform-glyph.tsx";
import { Ring } from "../../ui/ring.tsx";
import { Preview } from "./preview.tsx";

export interface RowProps {
  readonly conversation: Conversation;
  readonly tenant: string;
  readonly isOpen: boolean;
  readonly draft: string;
  /** The server's time in epoch milliseconds. */
  readonly now: number;
}

/** One conversation in the list. */
export const Row = memo(function Row({ conversation, tenant, isOpen, draft, now }: RowProps) {
  const window = windowOf(conversation, now);
  const colleagues = useColleagues(conversation.id);
  const name = printableText(personName(conversation));
  const at = millis(conversation.last_message_at);
  return (
    <Link
      href={inboxPath(tenant, conversation.id)}
      className={conversation.needs_reply ? "row due" : "row"}
      aria-current={isOpen ? "true" : undefined}
      data-conversation={conversation.id}
    >
      <Ring window={window}>
        <Face name={name} id={conversation.participant_id} size={36} picture={conversation.participant_picture} />
        <PlatformGlyph platform={conversation.platform} />
      </Ring>
      <span className="name">
        <bdi>{name}</bdi> <small dir="auto">{printableText(personHandle(conversation))}</small>
      </span>
      <time className="age" dateTime={conversation.last_message_at} title={fullTime(at)}>
        {shortAge(at, now)}
      </time>
      <Preview conversation={conversation} draft={draft} colleagues={colleagues} />
      <Pill window={window} now={now} />
    </Link>
  );
});
