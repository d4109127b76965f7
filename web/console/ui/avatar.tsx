import { type CSSProperties, useState } from "react";
import { mediaUrl } from "../data/safe-urls.ts";
import { initials } from "./initials.ts";
import "./avatar.css";

const COLORS = ["a", "b", "c", "d", "e", "f"] as const;

interface FaceProps {
  readonly name: string;
  /** Chooses the colour. */
  readonly id: string;
  /** Pixels. A place with `--row-face` in its styles has a size of its own. */
  readonly size: number;
  readonly picture?: string | null | undefined;
}

/** The picture of a person or an account, or their initials. The name stands beside it. */
export function Face({ name, id, size, picture = null }: FaceProps) {
  const [isBroken, setBroken] = useState(false);
  const color = COLORS[colorIndex(id)] ?? "a";
  const style = { "--face-size": `${size}px` } as CSSProperties;
  const address = mediaUrl(picture, location.hostname);
  if (address !== null && !isBroken) {
    return (
      <img
        className="face"
        src={address}
        alt=""
        style={style}
        referrerPolicy="no-referrer"
        loading="lazy"
        onError={() => setBroken(true)}
      />
    );
  }
  return (
    <span className={`face ${color}`} aria-hidden="true" style={style}>
      {initials(name)}
    </span>
  );
}

function colorIndex(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % COLORS.length;
}
