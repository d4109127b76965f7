/** A request of an AWS client, before it is sent. */
interface ClientRequest {
  headers: Record<string, string>;
}

/**
 * A signer for clients of the engines and the emulators, which require a signature and do not verify it. To compute one
 * takes a third of the CPU time of a call.
 */
export const constantSigner = {
  async sign<Request extends ClientRequest>(request: Request): Promise<Request> {
    request.headers["x-amz-date"] = "20260101T000000Z";
    request.headers.authorization =
      "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/service/aws4_request, SignedHeaders=host, Signature=0";
    return request;
  },
};
