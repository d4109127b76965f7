import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { usePeople } from "../../common/people.ts";
import { problemLine } from "../../common/problems.ts";
import { StaleLine } from "../../common/stale-line.tsx";
import { dayName } from "../../common/times.ts";
import { DAY } from "../../data/durations.ts";
import { type Conversation, type Message, millis } from "../../data/types.ts";
import { useServerTime, useWorkspace } from "../../data/workspace.tsx";
import { Outgoing } from "../composer/outgoing.tsx";
import { Bubble } from "./bubble.tsx";
import type { ThreadItem } from "./items.ts";
import { texts } from "./texts.ts";
import type { useThreadItems } from "./use-thread.ts";

/** Where each thread was left in this page: the item at the top, and how far its top was below the edge. Absent: at the end. */
const places = new Map<string, { readonly key: string; readonly offset: number }>();

const END_PX = 80;
const OLD_MS = 6 * DAY;

interface MessageScrollProps extends ReturnType<typeof useThreadItems> {
  readonly id: string;
  readonly conversation: Conversation | null;
  readonly onReply: (message: Message) => void;
}

/** The messages of a thread. It stays at its end while it is there, and at its place when older messages are added. */
export function MessageScroll({ id, conversation, thread, messages, items, onReply }: MessageScrollProps) {
  const { inbox } = useWorkspace();
  const nameOf = usePeople();
  const now = useServerTime(60_000);
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const [marked, setMarked] = useState<string | null>(null);
  const byId = useMemo(() => new Map(messages.map((message) => [message.id, message])), [messages]);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (items[index]?.kind === "message" ? 64 : 40),
    getItemKey: (index) => items[index]?.key ?? index,
    anchorTo: "end",
    scrollEndThreshold: END_PX,
    overscan: 8,
    paddingEnd: 12,
  });

  const isReady = thread?.status === "ready";
  const isPlaced = useRef(false);
  const wasAtEnd = useRef(true);
  useLayoutEffect(() => {
    // Only when the thread shows first: later it stays where it is.
    if (!isReady || isPlaced.current) return;
    isPlaced.current = true;
    const place = places.get(id);
    const index = place ? items.findIndex(({ key }) => key === place.key) : -1;
    wasAtEnd.current = index < 0;
    if (place && index >= 0) {
      virtual.scrollToIndex(index, { align: "start" });
      // The item is drawn, and measured, in the next frames.
      afterFrames(2, () => {
        const item = virtual.getVirtualItems().find(({ key }) => key === place.key);
        if (item && scroller.current) virtual.scrollToOffset(item.start - place.offset);
      });
    } else virtual.scrollToEnd();
  }, [isReady, id, items, virtual]);

  useEffect(() => {
    const node = scroller.current;
    if (!node) return;
    // A composer that grows takes the room from the thread.
    const observer = new ResizeObserver(() => {
      if (wasAtEnd.current) virtual.scrollToEnd();
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, [virtual]);

  const newest = messages.at(-1)?.id;
  useLayoutEffect(() => {
    if (newest !== undefined && wasAtEnd.current) virtual.scrollToEnd();
  }, [newest, virtual]);

  // The virtual list keeps the item at the top in its place. While that is the start or a day, older messages come below it.
  const firstId = messages[0]?.id;
  const firstPlace = useRef<{ readonly id: string | undefined; readonly below: number | null }>({
    id: firstId,
    below: null,
  });
  useLayoutEffect(() => {
    const { id: earlierId, below } = firstPlace.current;
    if (earlierId !== firstId && below !== null && below >= 0) {
      const index = items.findIndex(({ key }) => key === earlierId);
      const offset = index < 0 ? undefined : virtual.getOffsetForIndex(index, "start")?.[0];
      if (offset !== undefined) virtual.scrollToOffset(offset - below);
    }
    firstPlace.current = { id: firstId, below: belowEdge(firstId) };
  });

  /** How far the top of an item is below the edge, in pixels; null while it is not drawn. */
  function belowEdge(key: string | undefined): number | null {
    const item = virtual.getVirtualItems().find((each) => each.key === key);
    return item ? item.start - (scroller.current?.scrollTop ?? 0) : null;
  }

  const onScroll = () => {
    firstPlace.current = { id: firstId, below: belowEdge(firstId) };
    const node = scroller.current;
    if (!node) return;
    const distance = node.scrollHeight - node.scrollTop - node.clientHeight;
    wasAtEnd.current = distance <= END_PX;
    setAtEnd(wasAtEnd.current);
    const top = virtual.getVirtualItems().find(({ end }) => end > node.scrollTop);
    if (wasAtEnd.current || !top) places.delete(id);
    else places.set(id, { key: String(top.key), offset: top.start - node.scrollTop });
    // One that failed is asked for again by a press.
    if (node.scrollTop < 400 && thread?.older && thread.olderError === null) void inbox.loadOlder(id);
  };

  useEffect(() => {
    if (marked === null) return;
    const timer = setTimeout(() => setMarked(null), 1_600);
    return () => clearTimeout(timer);
  }, [marked]);

  const first = messages[0];
  const isOld = first !== undefined && now - millis(first.sent_at) > OLD_MS;

  const jump = (messageId: string) => {
    const index = items.findIndex(({ key }) => key === messageId);
    if (index < 0) return;
    virtual.scrollToIndex(index, { align: "center" });
    setMarked(messageId);
  };

  const render = (item: ThreadItem) => {
    switch (item.kind) {
      case "start":
        return <Start thread={thread} isOld={isOld} onOlder={() => void inbox.loadOlder(id)} />;
      case "day":
        return <div className="day">{dayName(item.at, now)}</div>;
      case "new":
        return <div className="day new">{texts.newLine}</div>;
      case "outgoing":
        return conversation ? <Outgoing conversation={conversation} /> : null;
      case "message": {
        const { message } = item;
        return (
          <Bubble
            message={message}
            isFirst={item.isFirst}
            isLast={item.isLast}
            author={message.direction === "outbound" ? nameOf(message.actor_id) : null}
            quoted={message.reply_to === null ? null : byId.get(message.reply_to)}
            isMarked={marked === message.id}
            onReply={onReply}
            onJump={jump}
          />
        );
      }
    }
  };

  return (
    <div className="scroll-frame">
      {isReady && thread.error !== null ? (
        <StaleLine what={texts.mayBeOld} error={thread.error} onAgain={() => void inbox.openThread(id)} />
      ) : null}
      <div
        className="scroll"
        ref={scroller}
        onScroll={onScroll}
        // A region that scrolls is reached by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
        tabIndex={0}
        role="log"
        aria-label={texts.messages}
        aria-live="polite"
      >
        {isReady ? null : <Waiting thread={thread} onRetry={() => void inbox.openThread(id)} />}
        <div className="msgs" style={{ height: virtual.getTotalSize() }} hidden={!isReady}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const item = items[index];
            return (
              <div
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                style={{ transform: `translateY(${start}px)` }}
              >
                {item ? render(item) : null}
              </div>
            );
          })}
        </div>
      </div>
      {isAtEnd || !isReady ? null : (
        <button
          type="button"
          className="icon jump"
          aria-label={texts.jump}
          title={texts.jump}
          onClick={() => virtual.scrollToEnd()}
        >
          <ArrowDown size={18} />
        </button>
      )}
    </div>
  );
}

function afterFrames(frames: number, run: () => void): void {
  requestAnimationFrame(() => (frames > 1 ? afterFrames(frames - 1, run) : run()));
}

type Thread = ReturnType<typeof useThreadItems>["thread"];

interface StartProps {
  readonly thread: Thread;
  /** The first message is nearly 7 days old: there may have been others. */
  readonly isOld: boolean;
  readonly onOlder: () => void;
}

function Start({ thread, isOld, onOlder }: StartProps) {
  if (thread?.older) {
    return (
      <div className="start">
        {thread.olderError === null ? null : (
          <p role="alert">
            {texts.olderFailed} {problemLine(thread.olderError)}
          </p>
        )}
        <button type="button" className="btn quiet" aria-disabled={thread.isLoadingOlder} onClick={onOlder}>
          {thread.olderError === null ? texts.older : texts.again}
        </button>
      </div>
    );
  }
  return isOld ? <p className="past">{texts.past}</p> : <div className="start" />;
}

function Waiting({ thread, onRetry }: { thread: Thread; onRetry: () => void }) {
  if (thread === null || thread.status === "loading") {
    return (
      <p className="none" role="status">
        {texts.loading}
      </p>
    );
  }
  if (thread.status === "missing") {
    return (
      <div className="none">
        <h2>{texts.missing.title}</h2>
        <p>{texts.missing.text}</p>
      </div>
    );
  }
  return (
    <div className="none" role="alert">
      <h2>{texts.failed}</h2>
      <p>{problemLine(thread.error)}</p>
      <button type="button" className="btn" onClick={onRetry}>
        {texts.again}
      </button>
    </div>
  );
}
