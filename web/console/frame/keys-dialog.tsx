import { useKeyList } from "../common/keys.tsx";
import { modifier } from "../common/modifier.ts";
import { usePreferences } from "../common/preferences.ts";
import { Dialog } from "../ui/dialog.tsx";
import { texts } from "./texts.ts";

/** All keys, those of an open conversation too. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const bindings = useKeyList();
  const { keys } = usePreferences();
  const others = texts.conversationKeys.filter(({ key }) => !bindings.some((binding) => binding.key === key));
  const always = [
    { key: `${modifier} K`, label: texts.paletteKey },
    { key: `${modifier} Enter`, label: texts.sendKey },
    { key: `${modifier} Shift Enter`, label: texts.sendNextKey },
    { key: "Esc", label: texts.leaveKey },
  ];
  return (
    <Dialog title={texts.keysTitle} onClose={onClose}>
      {keys ? null : <p className="soft">{texts.keysOff}</p>}
      <dl className="key-list">
        {[...bindings, ...others, ...always].map(({ key, label }) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>
              {key.split(" ").map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
