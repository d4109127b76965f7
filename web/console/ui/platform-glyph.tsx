import { Instagram, Messenger } from "./platform-icons.tsx";

/** The platform of a conversation, at the corner of a picture. */
export function PlatformGlyph({ platform }: { platform: "instagram" | "messenger" }) {
  const [Icon, name] =
    platform === "instagram" ? ([Instagram, "Instagram"] as const) : ([Messenger, "Messenger"] as const);
  return (
    <span className="glyph">
      <Icon />
      <span className="unseen">{name}</span>
    </span>
  );
}
