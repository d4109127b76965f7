/** Whom the page calls and shows besides its own origin. Each is an origin, or a host of many. */
export interface ConsoleSources {
  /** The WebSocket API. */
  readonly socket: string;
  /** Where files are uploaded. */
  readonly storage: string;
  /** Where the platforms serve pictures and videos. */
  readonly media: readonly string[];
}

/** What the console may load. No script and no style stands in the page. */
export function consolePolicy({ socket, storage, media }: ConsoleSources): string {
  const pictures = ["'self'", "blob:", ...media].join(" ");
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The solver of the check.
    "worker-src 'self'",
    `connect-src 'self' ${socket} ${storage}`,
    "style-src 'self'",
    `img-src ${pictures}`,
    `media-src ${pictures}`,
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
