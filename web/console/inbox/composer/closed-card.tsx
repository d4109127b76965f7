import { useState } from "react";
import { printableText } from "../../../../packages/client/src/printable.ts";
import { useCopy } from "../../common/use-copy.ts";
import { personName, platformLink } from "../../data/names.ts";
import { type Conversation, millis } from "../../data/types.ts";
import { texts } from "./texts.ts";

const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" });

/** Why no message can be sent now, and the link with which the person can write again. */
export function ClosedCard({ conversation, draft }: { conversation: Conversation; draft: string }) {
  const copy = useCopy();
  const [isShown, setShown] = useState(false);
  const name = printableText(personName(conversation));
  const link = platformLink(conversation);
  const words = texts.closed;
  const { last_inbound_at } = conversation;
  return (
    <div className="closed-card">
      <h3 dir="auto">{words.title(name)}</h3>
      <p>
        {last_inbound_at === null ? words.never(name) : words.text(name, day.format(millis(last_inbound_at)))}{" "}
        {draft === "" ? "" : words.saved}
      </p>
      <div className="acts">
        <button type="button" className="btn" onClick={() => void copy(link, words.copied)}>
          {words.copy(link.replace("https://", ""))}
        </button>
        {draft === "" ? null : (
          <button
            type="button"
            className="btn quiet"
            aria-expanded={isShown}
            onClick={() => setShown((shown) => !shown)}
          >
            {isShown ? words.hideDraft : words.showDraft}
          </button>
        )}
      </div>
      {isShown ? (
        <p dir="auto" className="saved-draft">
          {draft}
        </p>
      ) : null}
    </div>
  );
}
