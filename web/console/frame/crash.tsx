import { Component, type ReactNode } from "react";
import { texts } from "./texts.ts";

/** Stands in the place of a page that could not be drawn, instead of nothing. Drafts are stored before. */
export class CrashBoundary extends Component<{ readonly children: ReactNode }, { readonly isCrashed: boolean }> {
  override state = { isCrashed: false };

  static getDerivedStateFromError() {
    return { isCrashed: true };
  }

  override render(): ReactNode {
    if (!this.state.isCrashed) return this.props.children;
    const { title, text, reload } = texts.crash;
    return (
      <main className="gate" role="alert">
        <h1>{title}</h1>
        <p>{text}</p>
        <button type="button" className="btn first" onClick={() => location.reload()}>
          {reload}
        </button>
      </main>
    );
  }
}
