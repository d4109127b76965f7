import { useCallback } from "react";
import { texts } from "../ui/texts.ts";
import { useNotices } from "./notices.tsx";

/** Copies a text and says so. A browser that does not allow it shows the text, for the person to copy it. */
export function useCopy(): (text: string, copied: string) => Promise<void> {
  const { show } = useNotices();
  return useCallback(
    async (text, copied) => {
      try {
        await navigator.clipboard.writeText(text);
        show({ text: copied });
      } catch {
        show({ text: texts.copyFailed(text), kind: "problem" });
      }
    },
    [show],
  );
}
