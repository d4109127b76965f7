import { printableText } from "../../../packages/client/src/printable.ts";
import { linkParts } from "../data/safe-urls.ts";

/** A text as it was written, with its https links. */
export function Text({ text }: { text: string }) {
  return (
    <p dir="auto" className="words">
      {linkParts(printableText(text)).map((part, index) =>
        part.href === undefined ? (
          part.text
        ) : (
          // The parts of a text never change their places.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed
          <a key={index} className="link" href={part.href} target="_blank" rel="noreferrer nofollow">
            {part.text}
          </a>
        ),
      )}
    </p>
  );
}
