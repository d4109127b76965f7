import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** The services that Parley calls: tenants' receivers, the platforms' send and profile APIs, on one loopback port. */
export interface Loopback {
  readonly origin: string;
  /** The paths of the events that arrived completely, in order. */
  readonly events: string[];
  /** Sets the status of the receivers' responses. The default is 200. */
  respondWith(status: number): void;
  /** The ID that the platform gives the next sent message. */
  nextMessageId(id: string): void;
  close(): Promise<void>;
}

const SEND_PATH = "/me/messages";

/** What the platforms answer to a login, to calls about an account and to an upload. */
const platformAnswers: readonly (readonly [pattern: RegExp, answer: object])[] = [
  [/^POST \/oauth\/access_token/, { access_token: "IGAAshort", permissions: "instagram_business_manage_messages" }],
  [/^GET \/access_token/, { access_token: "IGAAlong", token_type: "bearer", expires_in: 5_184_000 }],
  [/^GET \/v[\d.]+\/me\?fields=user_id/, { user_id: "17841405793187218", username: "shop", name: "Shop", id: "9912" }],
  [/^POST .*\/subscribed_apps/, { success: true }],
  [/^GET .*\/subscribed_apps/, { data: [] }],
  [/^GET .*\/conversations/, { data: [] }],
  [/^POST .*\/message_attachments/, { attachment_id: "1857777774821032" }],
];

/** A person with a name and a picture URL of typical length, on either platform. */
function sampleProfile(person: string): object {
  const [first_name, last_name] = ["Marianne", "Lindqvist"];
  const cdn = "https://scontent-fra3-1.cdninstagram.com/v/t51.2885-15/";
  const picture = `${cdn}${person}_n.jpg?stp=dst-jpg_s206x206&_nc_cat=101&ccb=7-5&oe=7FFFFFFF&_nc_sid=`;
  const name = `${first_name} ${last_name}`;
  return {
    id: person,
    name,
    first_name,
    last_name,
    username: "marianne.lindqvist",
    profile_pic: picture.padEnd(300, "f"),
  };
}

export async function startLoopback(): Promise<Loopback> {
  const sockets = new Set<Socket>();
  const events: string[] = [];
  let status = 200;
  let messageId = "";
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    request.resume().on("end", () => {
      const person = /\/(\d+)\?fields=/.exec(path)?.[1];
      if (person !== undefined) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(sampleProfile(person)));
        return;
      }
      const answer = platformAnswers.find(([pattern]) => pattern.test(`${request.method} ${path}`));
      if (answer) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(answer[1]));
        return;
      }
      if (path.endsWith(SEND_PATH)) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ recipient_id: "0", message_id: messageId }));
        return;
      }
      events.push(path);
      response.writeHead(status).end();
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    respondWith(next) {
      status = next;
    },
    nextMessageId(id) {
      messageId = id;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
