import type { ReactNode } from "react";

/** A block of code that scrolls by itself, also by the keyboard. */
export function Code({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls takes the focus, so that the keyboard can scroll it
    <section className="code" tabIndex={0} aria-label={label}>
      <pre>
        <code>{children}</code>
      </pre>
    </section>
  );
}
