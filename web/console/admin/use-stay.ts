import { useEffect } from "react";

/** Holds the page while something in it would be lost: "Back" stays, and the browser asks before it closes the tab. */
export function useStay(isHeld: boolean): void {
  useEffect(() => {
    if (!isHeld) return;
    const here = location.href;
    // A second entry for the same page: "Back" opens this page again.
    history.pushState(history.state, "", here);
    const onBack = () => history.pushState(history.state, "", here);
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("popstate", onBack);
    addEventListener("beforeunload", onLeave);
    return () => {
      removeEventListener("popstate", onBack);
      removeEventListener("beforeunload", onLeave);
    };
  }, [isHeld]);
}
