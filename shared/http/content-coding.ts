/** How a body is compressed. "identity": not at all. */
export type ContentCoding = "br" | "gzip" | "identity";

/** A browser's header is shorter. Of a longer one the rest does not count. */
const HEADER_CHARS_READ = 100;

/** The coding of a response to a request with this Accept-Encoding: Brotli before gzip, and none unless it is accepted. */
export function chooseCoding(acceptEncoding: string): ContentCoding {
  const header = acceptEncoding.slice(0, HEADER_CHARS_READ);
  return (["br", "gzip"] as const).find((coding) => acceptsCoding(header, coding)) ?? "identity";
}

function acceptsCoding(acceptEncoding: string, coding: string): boolean {
  return acceptEncoding.split(",").some((part) => {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
