import { Smile } from "lucide-react";
import { useId, useRef } from "react";
import { placePopover } from "../../ui/menu/place-popover.ts";
import { moveFocus } from "../../ui/menu/roving-focus.ts";
import { texts } from "./texts.ts";

const EMOJI =
  "😀 😄 😅 😂 🙂 😉 😊 😍 🥰 😘 😎 🤔 😐 🙄 😢 😭 😮 😱 🤗 🤝 👍 👎 👏 🙌 🙏 💪 👋 ✌️ 👌 ❤️ 🧡 💚 💙 🔥 ✨ 🎉 🎁 🌸 ☀️ ✅ ❌ ⚠️ 📦 🚚 📅 📍 💬 📷".split(
    " ",
  );

/** How many of the buttons stand in the first row. */
function columnsOf(grid: Element): number {
  const tops = [...grid.children].map((node) => node.getBoundingClientRect().top);
  return tops.filter((top) => top === tops[0]).length;
}

/** A small choice of emoji. The system's own picker has all of them. */
export function Emoji({ onPick }: { onPick: (emoji: string) => void }) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  return (
    <>
      <button
        type="button"
        ref={opener}
        className="icon"
        aria-label={texts.emoji}
        title={texts.emoji}
        popoverTarget={id}
      >
        <Smile size={18} />
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        className="menu emoji"
        role="dialog"
        onKeyDown={(event) => moveFocus(event, columnsOf(event.currentTarget))}
        aria-label={texts.emoji}
        onToggle={({ newState }) => {
          if (newState !== "open") return;
          placePopover(popover.current, opener.current, "above");
          popover.current?.querySelector("button")?.focus();
        }}
      >
        {EMOJI.map((emoji) => (
          <button
            type="button"
            key={emoji}
            onClick={() => {
              popover.current?.hidePopover();
              onPick(emoji);
            }}
          >
            {emoji}
          </button>
        ))}
      </div>
    </>
  );
}
