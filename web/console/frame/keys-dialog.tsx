import { useKeyList } from "../common/keys.tsx";
import { usePreferences } from "../common/preferences.ts";
import { Dialog } from "../ui/dialog.tsx";
import { texts } from "./texts.ts";

/** The keys that work on this page. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const bindings = useKeyList();
  const { keys } = usePreferences();
  const always = [
    { key: "Ctrl K", label: texts.paletteKey },
    { key: "Ctrl Enter", label: texts.sendKey },
    { key: "Esc", label: texts.leaveKey },
  ];
  return (
    <Dialog title={texts.keysTitle} onClose={onClose}>
      {keys ? null : <p className="soft">{texts.keysOff}</p>}
      <dl className="key-list">
        {[...bindings, ...always].map(({ key, label }) => (
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
