import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { type KeyBinding, KeyMap } from "./key-map.ts";
import { preferences } from "./preferences.ts";

const Context = createContext<KeyMap | null>(null);

/** What takes all keys while it is open. */
const TAKES_KEYS = "dialog[open]:not(.plain), .menu:popover-open";

/** Makes single keys work in the pages below. */
export function KeysProvider({ children }: { children: ReactNode }) {
  const [map] = useState(() => new KeyMap());
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !preferences().keys || document.querySelector(TAKES_KEYS)) return;
      const target = event.target instanceof Element ? event.target : document.body;
      const press = {
        key: event.key,
        ctrlKey: event.ctrlKey,
        metaKey: event.metaKey,
        altKey: event.altKey,
        isComposing: event.isComposing || event.keyCode === 229,
        isTyping: target.matches("input, textarea, select, [contenteditable]"),
        isOnControl: target.matches("button, select, summary, a, [role='button']"),
      };
      const binding = map.match(press, event.timeStamp);
      if (!binding) return;
      event.preventDefault();
      binding.run();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [map]);
  return <Context value={map}>{children}</Context>;
}

function useKeyMap(): KeyMap {
  const map = useContext(Context);
  if (map === null) throw new Error("Keys need a KeysProvider.");
  return map;
}

/** Registers keys while the component is shown. A binding may change from one draw to the next; its keys may not. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const map = useKeyMap();
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  const keys = bindings.map(({ key, label, group }) => JSON.stringify([key, label, group])).join("\n");
  useEffect(() => {
    const named = keys === "" ? [] : keys.split("\n").map((text) => JSON.parse(text) as [string, string, string]);
    return map.add(
      named.map(([key, label, group]) => ({
        key,
        label,
        group,
        run: () => latest.current.find((binding) => binding.key === key)?.run(),
      })),
    );
  }, [map, keys]);
}

/** The keys that work now. */
export function useKeyList(): readonly KeyBinding[] {
  return useKeyMap().list();
}
