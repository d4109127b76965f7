import { type DragEvent, useState } from "react";
import type { Conversation } from "../../data/types.ts";
import { windowOf } from "../../data/window.ts";
import { useWorkspace } from "../../data/workspace.tsx";
import { attachFiles } from "../composer/attach.ts";
import { useComposerStore } from "../composer/use-composer.ts";

/** Attaches files that are dropped anywhere on the thread, as long as something can be sent to its person. */
export function useFileDrop(conversation: Conversation | null) {
  const { clock } = useWorkspace();
  const store = useComposerStore();
  const [isOver, setOver] = useState(false);
  const isOpen = () => {
    const { state } = conversation === null ? { state: "none" } : windowOf(conversation, clock.now());
    return state !== "none" && state !== "closed";
  };
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files") || !isOpen()) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      // Not when the pointer goes from one part of the thread to another.
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(false);
      if (conversation === null || !isOpen()) return;
      const target = { store, conversation: conversation.id, platform: conversation.platform };
      attachFiles(target, [...event.dataTransfer.files]);
    },
  };
  return { isOver, handlers };
}
