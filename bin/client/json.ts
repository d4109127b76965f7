/** A part of a parsed JSON document. */
export interface Json {
  [field: string]: unknown;
}
