import type { ClientOptions, CommandLike, SendOptions } from "#base/aws/lean/client.ts";
import * as lean from "#base/aws/lean/s3.ts";
// @ts-expect-error: the types are those of the package
import { S3Client as SdkClient } from "../../../node_modules/@aws-sdk/client-s3/dist-cjs/index.js";
import { asSdkClient } from "./lean-client.ts";

// The SDK's package with the lean client: for runs of the tests with PARLEY_AWS_CLIENT=lean.

// `S3ServiceException` is the class of every error.
export { NoSuchKey, S3ServiceException } from "#base/aws/lean/s3.ts";
// The package itself: its name is the name of this file.
// @ts-expect-error: the types are those of the package
export * from "../../../node_modules/@aws-sdk/client-s3/dist-cjs/index.js";

export class S3Client extends asSdkClient(lean.S3Client) {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions = {}) {
    super(options);
    this.#options = options;
  }

  /** What no function does, such as creating a bucket, is the test's own and goes over the SDK. */
  // biome-ignore lint/suspicious/noExplicitAny: the type of the output is that of the SDK's command
  override async send(command: CommandLike, options?: SendOptions): Promise<any> {
    if (command.constructor.name in lean) return super.send(command, options);
    const client = new SdkClient(this.#options);
    try {
      return await client.send(command);
    } finally {
      client.destroy();
    }
  }
}
