import { FileText, X } from "lucide-react";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { attachAgain, attachAsFile, detach } from "./attach.ts";
import type { Chip } from "./composer-store.ts";
import { texts } from "./texts.ts";

interface TrayProps {
  readonly target: Parameters<typeof detach>[0];
  readonly chips: readonly Chip[];
}

/** The files of the message, each with its state. */
export function Tray({ target, chips }: TrayProps) {
  if (chips.length === 0) return null;
  return (
    <ul className="tray">
      {chips.map((chip) => (
        <li key={chip.id} className={chip.state.kind === "refused" ? "chip bad" : chip.preview ? "chip" : "chip plain"}>
          <ChipContent chip={chip} target={target} />
          <button
            type="button"
            className="x"
            aria-label={texts.remove(printableText(chip.name))}
            onClick={() => detach(target, chip.id)}
          >
            <X size={12} strokeWidth={2.4} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function ChipContent({ chip, target }: { chip: Chip; target: TrayProps["target"] }) {
  const { state, preview, isConverted } = chip;
  const name = printableText(chip.name);
  if (state.kind === "refused") {
    return (
      <>
        <b dir="auto">{name}</b>
        <span role="alert">{state.reason}</span>
        {state.mayBeFile ? (
          <button type="button" className="link" onClick={() => attachAsFile(target, chip)}>
            {texts.files.asFile}
          </button>
        ) : null}
        {state.reason === texts.files.failed ? (
          <button type="button" className="link" onClick={() => attachAgain(target, chip)}>
            {texts.files.again}
          </button>
        ) : null}
      </>
    );
  }
  const percent = state.kind === "uploading" ? Math.round(state.progress * 100) : 100;
  const words = {
    converting: texts.files.converting,
    uploading: texts.files.uploading(percent),
    checking: texts.files.checking,
    ready: isConverted ? texts.files.converted : texts.files.ready,
  }[state.kind];
  return (
    <span title={`${name}: ${words}`}>
      {preview ? (
        <img src={preview} alt={name} />
      ) : (
        <span className="plain-file">
          <FileText size={18} aria-hidden="true" />
          <bdi>{name}</bdi>
        </span>
      )}
      {state.kind === "ready" ? null : (
        <span className="p">
          <i style={{ width: `${percent}%` }} />
        </span>
      )}
      {isConverted ? <span className="jpeg">JPEG</span> : null}
      <span className="unseen" role="status">
        {words}
      </span>
    </span>
  );
}
