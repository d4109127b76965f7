import { Code } from "../admin/code.tsx";
import { jsonParts } from "./json-parts.ts";

/** A value as JSON, as text alone. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    <Code label={label}>
      {jsonParts(value).map(({ kind, text }, index) => (
        // The parts of a value never change their places.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed
        <span key={index} className={kind}>
          {text}
        </span>
      ))}
    </Code>
  );
}
