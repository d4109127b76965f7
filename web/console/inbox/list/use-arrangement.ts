import { useEffect, useReducer, useRef } from "react";
import { type Arrangement, arrange, type Section } from "./order.ts";

const nothing: Arrangement = { sections: [], waiting: 0 };

/** They note whether the list may not move: somebody points at it, presses in it, has the focus in it or reads further down. */
interface HoldHandlers {
  readonly onPointerEnter: () => void;
  readonly onPointerLeave: () => void;
  readonly onFocus: () => void;
  readonly onBlur: (event: { currentTarget: Element; relatedTarget: EventTarget | null }) => void;
}

interface ArrangementOptions {
  /** Another list starts fresh. */
  readonly key: string;
  /** Whether it is held while it is scrolled, too: new rows come at its top. */
  readonly startsWithNewest: boolean;
  readonly exists: (id: string) => boolean;
}

/** The arrangement that a list shows. Rows keep their places while the list is held, and move when it is free. */
export function useArrangement(wanted: readonly Section[], { key, startsWithNewest, exists }: ArrangementOptions) {
  const held = useRef({ pointer: false, focus: false, scroll: false });
  const [, render] = useReducer((count: number) => count + 1, 0);
  const shown = useRef({ key, arrangement: nothing });
  const { pointer, focus, scroll } = held.current;
  const isHeld = pointer || focus || (scroll && startsWithNewest);
  const isFresh = shown.current.key !== key || shown.current.arrangement.sections.length === 0;
  const arrangement = arrange(isFresh ? nothing : shown.current.arrangement, wanted, {
    isHeld: isHeld && !isFresh,
    exists,
  });
  useEffect(() => {
    shown.current = { key, arrangement };
  });
  const set = (part: keyof typeof held.current, value: boolean) => {
    if (held.current[part] === value) return;
    held.current[part] = value;
    render();
  };
  const handlers: HoldHandlers = {
    onPointerEnter: () => set("pointer", true),
    onPointerLeave: () => set("pointer", false),
    onFocus: () => set("focus", true),
    onBlur: ({ currentTarget, relatedTarget }) => {
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) set("focus", false);
    },
  };
  /** Shows what waits, although the list is held. */
  const release = () => {
    shown.current = { key, arrangement: nothing };
    render();
  };
  /** Ends the hold of a list that is hidden: a browser reports neither the pointer nor the focus that leave it so. */
  const free = () => {
    set("pointer", false);
    set("focus", false);
  };
  /** @param scrollTop in pixels */
  const onScrolled = (scrollTop: number) => set("scroll", scrollTop > 0);
  return { arrangement, handlers, release, free, onScrolled };
}
