import { type ReactNode, useId, useRef, useState } from "react";
import { Link } from "wouter";
import { placePopover } from "./place-popover.ts";
import { focusable, moveFocus, typeFocus } from "./roving-focus.ts";
import { TypeAhead } from "./type-ahead.ts";
import "./menu.css";

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly href?: string | undefined;
  readonly onSelect?: (() => void) | undefined;
  readonly isCurrent?: boolean;
  readonly isDanger?: boolean;
}

interface MenuProps {
  readonly label: string;
  /** What the button shows. */
  readonly button: ReactNode;
  readonly className?: string;
  readonly items: readonly MenuItem[];
  /** Stands above the items. */
  readonly children?: ReactNode;
}

/**
 * A button with a popover of choices. An arrow key opens it, too, at its start or end. Arrow keys, `Home`, `End` and first
 * letters move through it. Escape and a press elsewhere close it, and the focus goes back to the button.
 */
export function Menu({ label, button, className = "icon", items, children }: MenuProps) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [typeAhead] = useState(() => new TypeAhead());
  /** Which end has the focus when the popover opens. */
  const end = useRef<"first" | "last">("first");
  const close = () => popover.current?.hidePopover();
  return (
    <>
      <button
        type="button"
        ref={opener}
        className={className}
        aria-label={label}
        title={label}
        popoverTarget={id}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          end.current = event.key === "ArrowUp" ? "last" : "first";
          popover.current?.showPopover({ source: event.currentTarget });
        }}
      >
        {button}
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        className="menu"
        aria-label={label}
        role="dialog"
        onKeyDown={(event) => {
          moveFocus(event);
          typeFocus(event, typeAhead);
        }}
        onToggle={(event) => {
          if (event.newState !== "open") return;
          placePopover(popover.current, opener.current, "below");
          const controls = [...(popover.current?.querySelectorAll<HTMLElement>(focusable) ?? [])];
          controls.at(end.current === "last" ? -1 : 0)?.focus();
          end.current = "first";
        }}
      >
        {children}
        <ul>
          {items.map(({ label: text, icon, href, onSelect, isCurrent, isDanger }) => (
            <li key={text}>
              {href === undefined ? (
                <button
                  type="button"
                  className={isDanger ? "menu-item danger" : "menu-item"}
                  aria-current={isCurrent ? "true" : undefined}
                  onClick={() => {
                    close();
                    onSelect?.();
                  }}
                >
                  {icon}
                  <bdi>{text}</bdi>
                </button>
              ) : (
                <Link href={href} className="menu-item" aria-current={isCurrent ? "true" : undefined} onClick={close}>
                  {icon}
                  <bdi>{text}</bdi>
                </Link>
              )}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
