import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An error as AWS answers it. `status` 400 unless another is given. */
export interface FakeError {
  readonly error: string;
  readonly status?: number;
}

/** What the server answers to an operation, such as `DescribeTable`, or to the path of a public address. */
export type FakeAnswers = Readonly<Record<string, object | FakeError | "never" | "reset" | undefined>>;

export interface FakeAws {
  readonly url: string;
  answers: FakeAnswers;
  readonly operations: string[];
  close(): Promise<void>;
}

/** Operations of the services that have paths instead of names. */
const PATHS: readonly (readonly [RegExp, string])[] = [
  [/^\/2016-08-19\/account-settings/, "GetAccountSettings"],
  [/^\/v2\/email\/identities\/(.+)$/, "GetEmailIdentity"],
  [/^\/v2\/email\/account$/, "GetAccount"],
];

/** Answers as the services of AWS do, each in its protocol: JSON, XML or paths. */
export async function openFakeAws(answers: FakeAnswers): Promise<FakeAws> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const operation = operationOf(request, body);
    fake.operations.push(operation.name);
    const answer = fake.answers[operation.name] ?? fake.answers[operation.name.split(" ")[0] ?? ""];
    if (answer === "never") return;
    if (answer === "reset") {
      request.socket.destroy();
      return;
    }
    respond(response, operation, answer ?? { error: "AccessDeniedException", status: 400 });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: FakeAws = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    operations: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

interface Operation {
  readonly name: string;
  readonly protocol: "json" | "xml" | "path";
}

/** The name, followed by what it is about where a test answers that differently. */
function operationOf(request: IncomingMessage, body: string): Operation {
  const target = request.headers["x-amz-target"];
  if (typeof target === "string") {
    const name = target.split(".").at(-1) ?? "";
    const { SecretId, QueueUrl } = JSON.parse(body) as { SecretId?: string; QueueUrl?: string };
    const subject = SecretId ?? QueueUrl?.split("/").at(-1);
    return { name: subject === undefined ? name : `${name} ${subject}`, protocol: "json" };
  }
  const action = request.method === "POST" ? new URLSearchParams(body).get("Action") : null;
  if (action !== null) {
    const stack = new URLSearchParams(body).get("StackName");
    return { name: stack === null ? action : `${action} ${stack}`, protocol: "xml" };
  }
  const path = new URL(request.url ?? "/", "http://fake").pathname;
  for (const [pattern, name] of PATHS) {
    const match = pattern.exec(path);
    if (match)
      return { name: match[1] === undefined ? name : `${name} ${decodeURIComponent(match[1])}`, protocol: "path" };
  }
  return { name: path, protocol: "path" };
}

function respond(response: ServerResponse, { name, protocol }: Operation, answer: object | FakeError): void {
  const [operation = ""] = name.split(" ");
  if ("error" in answer && typeof answer.error === "string") {
    const { error, status = 400 } = answer as FakeError;
    // The real texts name the caller and the resource.
    const message =
      error === "ValidationError" ? "Stack with id X does not exist" : "User: arn:aws:iam::1:user/ann may not";
    const xml = `<ErrorResponse><Error><Type>Sender</Type><Code>${error}</Code><Message>${message}</Message></Error></ErrorResponse>`;
    const json = JSON.stringify({ __type: error, message });
    const headers = { "content-type": protocol === "xml" ? "text/xml" : "application/json", "x-amzn-errortype": error };
    response.writeHead(status, headers).end(protocol === "xml" ? xml : json);
    return;
  }
  if (protocol === "xml") {
    const body = `<${operation}Response><${operation}Result>${toXml(answer)}</${operation}Result></${operation}Response>`;
    response.writeHead(200, { "content-type": "text/xml" }).end(body);
    return;
  }
  const { httpStatus = 200, ...body } = answer as { httpStatus?: number };
  response.writeHead(httpStatus, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function toXml(value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => `<member>${toXml(each)}</member>`).join("");
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .map(([name, part]) => `<${name}>${toXml(part)}</${name}>`)
      .join("");
  }
  return String(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
