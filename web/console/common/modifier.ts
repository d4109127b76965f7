/** The modifier of a platform: its name, and how it is shown before a key. @param platform as `navigator.platform` */
export function modifierOf(platform: string): "⌘" | "Ctrl" {
  return /^(Mac|iPhone|iPad|iPod)/.test(platform) ? "⌘" : "Ctrl";
}

/** The modifier of this machine: macOS has ⌘ in place of Ctrl. */
export const modifier = modifierOf((globalThis as { navigator?: { platform?: string } }).navigator?.platform ?? "");
