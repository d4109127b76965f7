/** How a body is compressed. "identity": not at all. */
export type ContentCoding = "br" | "gzip" | "identity";

/** The coding of a response to a request with this Accept-Encoding: Brotli before gzip, and none unless it is accepted. */
export function chooseCoding(acceptEncoding: string): ContentCoding {
  return (["br", "gzip"] as const).find((coding) => acceptsCoding(acceptEncoding, coding)) ?? "identity";
}

function acceptsCoding(acceptEncoding: string, coding: string): boolean {
  return acceptEncoding.split(",").some((part) => {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
