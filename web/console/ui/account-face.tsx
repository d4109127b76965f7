import { Face } from "./avatar.tsx";
import { PlatformGlyph } from "./platform-glyph.tsx";

interface AccountFaceProps {
  readonly name: string;
  /** Chooses the colour. */
  readonly id: string;
  readonly platform: "instagram" | "messenger";
  /** Pixels. */
  readonly size: number;
}

/** The initials of an account with the sign of its platform. The name stands beside it. */
export function AccountFace({ name, id, platform, size }: AccountFaceProps) {
  return (
    <span className="account-face">
      <Face name={name} id={id} size={size} />
      <PlatformGlyph platform={platform} />
    </span>
  );
}
