import { ParleyError } from "#client";
import type { Platform } from "../../data/types.ts";
import type { Chip, ComposerStore } from "./composer-store.ts";
import { asFile, checkFile, type FileVerdict, togetherProblem } from "./files.ts";
import { toJpeg } from "./jpeg.ts";
import { texts } from "./texts.ts";

interface Target {
  readonly store: ComposerStore;
  readonly conversation: string;
  readonly platform: Platform;
}

/** The files that belong to the chips, and what ends their uploads. */
const originals = new Map<string, { readonly file: File; readonly controller: AbortController }>();

/** Adds files to a message: checks each, turns pictures into JPEGs where that is needed, and uploads them. */
export function attachFiles(target: Target, files: readonly File[]): void {
  for (const file of files) void attach(target, file);
}

/** Uploads a picture that could not be turned into a JPEG as a file. */
export function attachAsFile(target: Target, chip: Chip): void {
  const original = originals.get(chip.id);
  if (!original) return;
  detach(target, chip.id);
  void attach(target, original.file, asFile(target.platform, original.file));
}

/** Uploads a file again. */
export function attachAgain(target: Target, chip: Chip): void {
  const original = originals.get(chip.id);
  if (!original) return;
  detach(target, chip.id);
  void attach(target, original.file);
}

/** Removes a file and ends its upload. */
export function detach({ store, conversation }: Target, id: string): void {
  originals.get(id)?.controller.abort();
  originals.delete(id);
  store.setChips(conversation, (chips) => {
    for (const chip of chips) if (chip.id === id && chip.preview) URL.revokeObjectURL(chip.preview);
    return chips.filter((chip) => chip.id !== id);
  });
}

async function attach(target: Target, chosen: File, known?: FileVerdict): Promise<void> {
  const { store, conversation, platform } = target;
  const id = crypto.randomUUID();
  const controller = new AbortController();
  originals.set(id, { file: chosen, controller });
  const set = (change: Partial<Chip>) =>
    store.setChips(conversation, (chips) => chips.map((chip) => (chip.id === id ? { ...chip, ...change } : chip)));
  const refuse = (reason: string, mayBeFile = false) => set({ state: { kind: "refused", reason, mayBeFile } });
  const blank: Chip = {
    id,
    name: chosen.name,
    kind: null,
    preview: null,
    isConverted: false,
    state: { kind: "converting" },
  };
  store.setChips(conversation, (chips) => [...chips, blank]);

  let file = chosen;
  let verdict = known ?? checkFile(platform, chosen);
  if (verdict.kind === "convert") {
    const jpeg = await toJpeg(chosen);
    if (jpeg === null) return refuse(texts.files.notConverted, asFile(platform, chosen).kind === "take");
    file = jpeg;
    verdict = checkFile(platform, jpeg);
    set({ isConverted: true });
  }
  if (verdict.kind !== "take") return refuse(verdict.kind === "refuse" ? verdict.reason : texts.files.tooLarge(8));
  const { as, contentType } = verdict;
  const others = (store.getState().chips.get(conversation) ?? []).filter((chip) => chip.id !== id && isCounted(chip));
  const problem = togetherProblem(
    others.flatMap(({ kind }) => kind ?? []),
    as,
  );
  if (problem !== null) return refuse(problem);
  set({
    kind: as,
    preview: as === "image" ? URL.createObjectURL(file) : null,
    state: { kind: "uploading", progress: 0 },
  });
  try {
    const upload = await store.parley.attachments.upload(
      {
        conversation_id: conversation,
        file,
        filename: file.name,
        content_type: contentType,
        ...(as === "file" ? { type: as } : {}),
      },
      {
        signal: controller.signal,
        // A file waits in the tray while one writes on.
        retryWaitMs: 60_000,
        ...(store.inbox.connection === null ? {} : { realtime: store.inbox.connection }),
        onProgress: ({ loaded, total }) => {
          const progress = total > 0 ? loaded / total : 0;
          set({ state: progress >= 1 ? { kind: "checking" } : { kind: "uploading", progress } });
        },
      },
    );
    set({ state: { kind: "ready", attachmentId: upload.attachment.id } });
  } catch (error) {
    if (!controller.signal.aborted) refuse(uploadProblem(error));
  }
}

/** A file that was refused takes no place in the message. */
export function isCounted({ kind, state }: Chip): boolean {
  return kind !== null && state.kind !== "refused";
}

function uploadProblem(error: unknown): string {
  const code = error instanceof ParleyError ? error.code : "";
  if (code === "attachment_too_large" || code === "unsupported_media_type") return texts.files.refusedByPlatform;
  return texts.files.failed;
}
