import { readFileSync } from "node:fs";
import { sampleAudio } from "./sample-audio.ts";
import { sampleDocument } from "./sample-document.ts";
import { sampleMark, samplePortrait } from "./sample-faces.ts";
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

const samplesByExtension: Record<string, string> = {
  webm: "/media/clip.webm",
  mp4: "/media/clip.webm",
  wav: "/media/voice.wav",
  m4a: "/media/voice.wav",
  pdf: "/media/price-list.pdf",
};

/**
 * The file that the simulator serves at a path below `/media/`. Any name of a picture is a picture: a face for
 * `person-<id>`, a mark for `account-<id>`, and a landscape for any other. Any other name is the sample of its kind: an uploaded file that is no longer in memory is served so. Null for any other path.
 */
export function sampleMedia(path: string): SampleMedia | null {
  const [, name = "", extension = ""] = /^\/media\/([\w-]{1,64})\.([a-z0-9]{1,8})$/.exec(path) ?? [];
  if (["png", "jpg", "gif"].includes(extension)) return { type: "image/png", content: () => samplePicture(name) };
  const sample = Object.hasOwn(samplesByExtension, extension) ? samplesByExtension[extension] : undefined;
  return files[sample ?? ""] ?? null;
}

function samplePicture(name: string): Buffer {
  if (name.startsWith("person-")) return samplePortrait(name);
  return name.startsWith("account-") ? sampleMark(name) : sampleImage(name);
}
