/** A file of a page as it is served. */
export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** A hash of the body, in the quotes that the header requires. */
  readonly etag: string;
}
