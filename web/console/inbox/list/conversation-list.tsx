import { useVirtualizer } from "@tanstack/react-virtual";
import { Inbox as InboxIcon, Search, X } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useKeys } from "../../common/keys.tsx";
import { problemLine } from "../../common/problems.ts";
import { StaleLine } from "../../common/stale-line.tsx";
import { lastKnown } from "../../data/conversation-book.ts";
import { countLabel, isComplete, type ListState } from "../../data/inbox-lists.ts";
import { useWorkspace } from "../../data/workspace.tsx";
import { inboxPath } from "../../paths.ts";
import { WorkspaceMenu } from "../../session/workspace-menu.tsx";
import { draftOf } from "../composer/drafts.ts";
import { focusComposerSoon, onNextConversation } from "../next-conversation.ts";
import { Filters } from "./filters.tsx";
import { isSectionLoaded, nextToAnswer, type Section } from "./order.ts";
import { Row } from "./row.tsx";
import { texts } from "./texts.ts";
import { useArrangement } from "./use-arrangement.ts";
import { keepPlace, placeOf, useChoice } from "./use-choice.ts";
import { useList, useNeedsReplyCount } from "./use-list.ts";
import { type ListChoice, placeKey } from "./view-state.ts";
import { ViewTabs } from "./view-tabs.tsx";
import "./list.css";

type Item =
  | { readonly heading: Section; readonly id?: undefined }
  | { readonly id: string; readonly heading?: undefined };

const ROW_HEIGHT = 62;
const HEADING_HEIGHT = 31;

/** The column of conversations. @param openId the id of the open conversation; null when none is open */
export function ConversationList({ openId }: { openId: string | null }) {
  const { tenant, inbox } = useWorkspace();
  const [choice, change] = useChoice();
  const [search, setSearch] = useState<string | null>(null);
  const { query, state, sections, loaded, book, now } = useList(choice, search ?? "");
  const needsReply = useNeedsReplyCount();
  const key = JSON.stringify([query, choice.window, search]);
  const { arrangement, handlers, release, free, onScrolled } = useArrangement(sections, {
    key,
    startsWithNewest: choice.view === "all",
    exists: (id) => lastKnown(book, id) !== undefined,
  });
  const items = useMemo<Item[]>(
    () =>
      arrangement.sections.flatMap((section) => [
        ...(section.name === "all" ? [] : [{ heading: section }]),
        ...section.ids.map((id) => ({ id })),
      ]),
    [arrangement.sections],
  );
  // With the same functions for the same items, the virtual list measures nothing again.
  const estimateSize = useCallback((index: number) => (items[index]?.heading ? HEADING_HEIGHT : ROW_HEIGHT), [items]);
  const getItemKey = useCallback((index: number) => items[index]?.id ?? items[index]?.heading?.name ?? index, [items]);
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Where a thread covers the list, that is another page.
    if (openId !== null && scroller.current?.checkVisibility() === false) free();
  }, [openId, free]);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey,
    initialOffset: () => placeOf(tenant, placeKey(choice)),
    overscan: 6,
  });
  const isAll = isComplete(state);
  const restoring = useRestoredPlace(scroller, virtual, {
    key,
    place: () => (search === null ? placeOf(tenant, placeKey(choice)) : 0),
    isComplete: isAll,
  });
  const rows = virtual.getVirtualItems();
  const lastShown = rows.at(-1)?.index ?? 0;
  const isNearEnd = lastShown >= items.length - 10;
  useEffect(() => {
    // One that failed is asked for again by a press: not without end.
    if (isNearEnd && state.next !== null && state.error === null && search === null) void inbox.loadMore(query);
  }, [isNearEnd, state, inbox, query, search]);
  useListKeys({
    items,
    openId,
    focusRow: (index) => focusRow(index),
    openSearch: () => setSearch((text) => text ?? ""),
  });

  const wantedRow = useRef("");
  function focusRow(index: number): void {
    virtual.scrollToIndex(index, { align: "auto" });
    const id = items[index]?.id ?? "";
    wantedRow.current = id;
    const row = rowElement(scroller.current, id);
    row?.focus();
    if (row !== null) return;
    // It is drawn after the scroll, unless another key has chosen another row by then.
    const focus = () => {
      if (wantedRow.current === id) rowElement(scroller.current, id)?.focus();
    };
    requestAnimationFrame(() => requestAnimationFrame(focus));
  }

  useNextConversation(
    items.flatMap(({ id }) => id ?? []),
    (id) => lastKnown(book, id)?.needs_reply === true,
    openId,
  );

  const isEmpty = items.length === 0;
  const retry = () => void inbox.retry(query);
  return (
    <section className="list" aria-label={texts.title} tabIndex={-1}>
      <header className="list-head">
        <div className="list-title">
          <h1>{texts.title}</h1>
          <WorkspaceMenu />
          <span className="push" />
          <button
            type="button"
            className="icon"
            aria-label={texts.search}
            aria-expanded={search !== null}
            title={`${texts.search} (/)`}
            onClick={() => setSearch((text) => (text === null ? "" : null))}
          >
            {search === null ? <Search size={18} /> : <X size={18} />}
          </button>
        </div>
        <ViewTabs view={choice.view} needsReply={needsReply} onChange={(view) => change({ view })} />
        <Filters choice={choice} onChange={change} />
        {search === null ? null : (
          <SearchField search={search} onChange={setSearch} found={texts.searched(loaded, isAll)} />
        )}
      </header>
      <div
        className="rows"
        ref={scroller}
        {...handlers}
        onWheel={restoring.end}
        onTouchMove={restoring.end}
        onScroll={(event) => {
          const { scrollTop } = event.currentTarget;
          onScrolled(scrollTop);
          if (!restoring.isRunning() && search === null) keepPlace(tenant, placeKey(choice), scrollTop);
        }}
      >
        {arrangement.waiting > 0 ? (
          <div className="waiting">
            <button
              type="button"
              onClick={({ currentTarget }) => {
                // The button goes away: the list takes the focus from it.
                currentTarget.closest<HTMLElement>(".list")?.focus();
                release();
                scroller.current?.scrollTo({ top: 0 });
              }}
            >
              {texts.waiting(arrangement.waiting)}
            </button>
          </div>
        ) : null}
        {isEmpty ? <Blank state={state} choice={choice} search={search} retry={retry} /> : null}
        <div className="rows-all" style={{ height: virtual.getTotalSize() }}>
          {rows.map(({ index, key: itemKey, start }) => {
            const item = items[index];
            const conversation = item?.id === undefined ? null : lastKnown(book, item.id);
            return (
              <div
                key={itemKey}
                data-index={index}
                ref={virtual.measureElement}
                style={{ transform: `translateY(${start}px)` }}
              >
                {item?.heading ? (
                  <Heading
                    section={item.heading}
                    isLoaded={isAll || isSectionLoaded(item.heading.name, state.last, now)}
                  />
                ) : null}
                {conversation ? (
                  <Row
                    conversation={conversation}
                    tenant={tenant}
                    isOpen={conversation.id === openId}
                    draft={conversation.id === openId ? "" : draftOf(conversation.id)}
                    now={now}
                  />
                ) : null}
              </div>
            );
          })}
        </div>
      </div>
      {isEmpty || state.error === null ? null : <StaleLine what={texts.mayBeOld} error={state.error} onAgain={retry} />}
    </section>
  );
}

/**
 * Scrolls a list to where it was left, as soon as so much of it is loaded: after a reload, and when another list is chosen.
 * @param list `place` in pixels; `isComplete`: nothing more can be loaded
 */
function useRestoredPlace(
  scroller: React.RefObject<HTMLElement | null>,
  virtual: { getTotalSize(): number; scrollToOffset(offset: number): void },
  { key, place, isComplete }: { readonly key: string; readonly place: () => number; readonly isComplete: boolean },
) {
  const target = useRef<number | null>(null);
  const shownKey = useRef<string | null>(null);
  const size = virtual.getTotalSize();
  if (shownKey.current !== key) {
    const position = place();
    target.current = position === 0 && shownKey.current === null ? null : position;
    shownKey.current = key;
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list of the same size has another place
  useLayoutEffect(() => {
    if (target.current === null || scroller.current === null || size === 0) return;
    virtual.scrollToOffset(target.current);
    const reach = Math.max(0, size - scroller.current.clientHeight);
    if (isComplete || reach >= target.current) target.current = null;
  }, [scroller, virtual, size, isComplete, key]);
  return {
    isRunning: () => target.current !== null,
    end: () => {
      target.current = null;
    },
  };
}

function Heading({ section: { name, ids }, isLoaded }: { section: Section; isLoaded: boolean }) {
  return (
    <h2 className={name === "closing" ? "hot" : undefined}>
      {texts.sections[name]} <span>{countLabel(ids.length, isLoaded)}</span>
    </h2>
  );
}

interface SearchProps {
  readonly search: string;
  readonly found: string;
  readonly onChange: (search: string | null) => void;
}

function SearchField({ search, found, onChange }: SearchProps) {
  return (
    <>
      <label className="search">
        <Search size={16} aria-hidden="true" />
        <input
          type="search"
          // The press that opened it asked for it.
          // biome-ignore lint/a11y/noAutofocus: the field opens by a press on its button or key
          autoFocus
          aria-label={texts.search}
          placeholder={texts.search}
          value={search}
          onChange={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") onChange(null);
          }}
        />
      </label>
      <p className="searched" role="status">
        {found}
      </p>
    </>
  );
}

interface BlankProps {
  readonly state: ListState;
  readonly choice: ListChoice;
  readonly search: string | null;
  readonly retry: () => void;
}

/** What the list shows instead of rows. */
function Blank({ state, choice, search, retry }: BlankProps) {
  const isFailed = state.status === "failed" || (state.error !== null && !search);
  const isLoading = state.status === "loading" || (!isComplete(state) && !search);
  if (isLoading && !isFailed) {
    return (
      <div role="status">
        <span className="unseen">{texts.loading}</span>
        {["a", "b", "c", "d", "e"].map((name) => (
          <div className="skeleton" key={name} />
        ))}
      </div>
    );
  }
  if (isFailed) {
    return (
      <div className="blank" role="alert">
        <h2>{texts.failed}</h2>
        <p>{problemLine(state.error)}</p>
        <button type="button" className="btn" onClick={retry}>
          {texts.again}
        </button>
      </div>
    );
  }
  const isFiltered = choice.platform !== null || choice.accountKey !== null || choice.window !== null;
  const words = search
    ? texts.noMatch
    : isFiltered
      ? texts.filtered
      : choice.view === "all"
        ? texts.emptyAll
        : texts.empty;
  return (
    <div className="blank">
      <InboxIcon size={44} strokeWidth={1.4} aria-hidden="true" />
      <h2>{words.title}</h2>
      <p>{words.text}</p>
    </div>
  );
}

interface ListKeys {
  readonly items: readonly Item[];
  readonly openId: string | null;
  readonly focusRow: (index: number) => void;
  readonly openSearch: () => void;
}

/** `j` and `k` move through the rows, `Enter` opens the row with the focus, `/` searches. */
function useListKeys({ items, openId, focusRow, openSearch }: ListKeys): void {
  const { tenant } = useWorkspace();
  const [, navigate] = useLocation();
  const move = (step: 1 | -1) => {
    const focused = focusedRow() ?? openId;
    let index = items.findIndex(({ id }) => id !== undefined && id === focused);
    if (index === -1) index = step === 1 ? -1 : items.length;
    do index += step;
    while (items[index]?.heading);
    if (items[index]) focusRow(index);
  };
  useKeys([
    { key: "j", run: () => move(1), label: "Next conversation", group: "List" },
    { key: "k", run: () => move(-1), label: "Previous conversation", group: "List" },
    {
      key: "Enter",
      run: () => {
        const id = focusedRow();
        if (id !== null) navigate(inboxPath(tenant, id));
      },
      label: "Open the conversation",
      group: "List",
    },
    { key: "/", run: openSearch, label: "Search", group: "List" },
  ]);
}

/** Opens the next conversation that needs a reply: by `n`, after Done, and after a send that goes on. */
function useNextConversation(ids: readonly string[], needsReply: (id: string) => boolean, openId: string | null): void {
  const { tenant } = useWorkspace();
  const [, navigate] = useLocation();
  const open = (from: string | null, isWriting: boolean) => {
    // The person has opened another one since.
    if (from !== openId) return;
    const next = nextToAnswer(ids, from, needsReply);
    if (next === null) return;
    navigate(inboxPath(tenant, next));
    if (isWriting) focusComposerSoon();
  };
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  });
  useEffect(() => onNextConversation(({ from, isWriting }) => latest.current(from, isWriting)), []);
  useKeys([{ key: "n", run: () => open(openId, false), label: texts.nextKey, group: "List" }]);
}

/** The id of the conversation whose row has the focus. */
function focusedRow(): string | null {
  return document.activeElement?.getAttribute("data-conversation") ?? null;
}

function rowElement(list: Element | null, id: string): HTMLElement | null {
  const rows = [...(list?.querySelectorAll<HTMLElement>("[data-conversation]") ?? [])];
  return rows.find((row) => row.dataset.conversation === id) ?? null;
}
