import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A stack that the server has. */
export interface FakeStack {
  readonly account: string;
  readonly status?: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** How the server answers each request. */
export type FakeAnswer =
  | { readonly stacks: Readonly<Record<string, FakeStack>> }
  | { readonly status: number; readonly code: string; readonly message: string };

export interface FakeCloudFormation {
  readonly url: string;
  /** `<action> <stack>`, and the region that the request was signed for. */
  readonly requests: { readonly action: string; readonly stack: string; readonly region: string }[];
  close(): Promise<void>;
}

const NAMESPACE = "http://cloudformation.amazonaws.com/doc/2010-05-15/";
const REQUEST_ID = "b9b4b068-3a41-11e5-94eb-example";

/** Answers DescribeStacks as CloudFormation does: the request is a form, the answer XML. */
export async function openFakeCloudFormation(answer: FakeAnswer): Promise<FakeCloudFormation> {
  const requests: FakeCloudFormation["requests"] = [];
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const [, , region = ""] = /Credential=([^,]+)/.exec(request.headers.authorization ?? "")?.[1]?.split("/") ?? [];
    const stack = form.get("StackName") ?? "";
    requests.push({ action: form.get("Action") ?? "", stack, region });
    const { status, body } = respond(answer, stack, region);
    response.writeHead(status, { "content-type": "text/xml", "x-amzn-requestid": REQUEST_ID }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function respond(answer: FakeAnswer, name: string, region: string): { status: number; body: string } {
  if ("code" in answer) return { status: answer.status, body: errorXml(answer.code, answer.message) };
  const stack = answer.stacks[name];
  if (!stack) return { status: 400, body: errorXml("ValidationError", `Stack with id ${name} does not exist`) };
  return { status: 200, body: stackXml(name, region, stack) };
}

function errorXml(code: string, message: string): string {
  return `<ErrorResponse xmlns="${NAMESPACE}">
  <Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>
  <RequestId>${REQUEST_ID}</RequestId>
</ErrorResponse>`;
}

function stackXml(name: string, region: string, { account, outputs, status = "UPDATE_COMPLETE" }: FakeStack): string {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${escapeXml(value)}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse xmlns="${NAMESPACE}">
  <DescribeStacksResult><Stacks><member>
    <StackName>${name}</StackName>
    <StackId>arn:aws:cloudformation:${region}:${account}:stack/${name}/c6bb3160-9f2e-11ee-8a4e-0a4f5e1c3b2d</StackId>
    <CreationTime>2026-11-28T20:00:00.000Z</CreationTime>
    <StackStatus>${status}</StackStatus>
    <EnableTerminationProtection>true</EnableTerminationProtection>
    ${members.length === 0 ? "" : `<Outputs>${members.join("")}</Outputs>`}
  </member></Stacks></DescribeStacksResult>
  <ResponseMetadata><RequestId>${REQUEST_ID}</RequestId></ResponseMetadata>
</DescribeStacksResponse>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
