import { Smile } from "lucide-react";
import { useId, useRef } from "react";
import { texts } from "./texts.ts";

const EMOJI =
  "😀 😄 😅 😂 🙂 😉 😊 😍 🥰 😘 😎 🤔 😐 🙄 😢 😭 😮 😱 🤗 🤝 👍 👎 👏 🙌 🙏 💪 👋 ✌️ 👌 ❤️ 🧡 💚 💙 🔥 ✨ 🎉 🎁 🌸 ☀️ ✅ ❌ ⚠️ 📦 🚚 📅 📍 💬 📷".split(
    " ",
  );

/** A small choice of emoji. The system's own picker has all of them. */
export function Emoji({ onPick }: { onPick: (emoji: string) => void }) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const place = () => {
    const node = popover.current;
    const rect = opener.current?.getBoundingClientRect();
    if (!node || !rect) return;
    node.style.left = `${Math.max(12, Math.min(rect.left, innerWidth - node.offsetWidth - 12))}px`;
    node.style.top = `${Math.max(12, rect.top - node.offsetHeight - 6)}px`;
  };
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
        aria-label={texts.emoji}
        onToggle={({ newState }) => {
          if (newState !== "open") return;
          place();
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
