import { readFileSync } from "node:fs";
import { sampleAudio } from "./sample-audio.ts";
import { sampleDocument } from "./sample-document.ts";
import { sampleImage } from "./sample-image.ts";

interface SampleMedia {
  type: string;
  content(): Buffer;
}

const files: Record<string, SampleMedia> = {
  "/media/voice.wav": { type: "audio/wav", content: sampleAudio },
  "/media/price-list.pdf": { type: "application/pdf", content: () => sampleDocument("Price list") },
  "/media/clip.webm": { type: "video/webm", content: () => readFileSync(new URL("./clip.webm", import.meta.url)) },
};

/** The file that the simulator serves at a path below `/media/`. Any name is a picture. Null for any other path. */
export function sampleMedia(path: string): SampleMedia | null {
  if (Object.hasOwn(files, path)) return files[path] ?? null;
  const image = /^\/media\/([\w-]{1,64})\.png$/.exec(path)?.[1];
  return image === undefined ? null : { type: "image/png", content: () => sampleImage(image) };
}
