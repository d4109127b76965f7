import { Face } from "./avatar.tsx";
import { PlatformGlyph } from "./platform-glyph.tsx";

interface AccountFaceProps {
  readonly name: string;
  /** Chooses the colour. */
  readonly id: string;
  readonly platform: "instagram" | "messenger";
  readonly picture: string | null;
  /** Pixels. */
  readonly size: number;
}

/** The picture of an account, or its initials, with the sign of its platform. The name stands beside it. */
export function AccountFace({ name, id, platform, picture, size }: AccountFaceProps) {
  return (
    <span className="account-face">
      <Face name={name} id={id} size={size} picture={picture} />
      <PlatformGlyph platform={platform} />
    </span>
  );
}
