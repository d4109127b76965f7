/** The header by which a distribution in front of the gateway proves itself. It replaces a header of the same name that a caller sent. */
export const ORIGIN_HEADER = "x-parley-origin";
