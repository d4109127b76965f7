import { hang, hangInBody, ok, type Step, text } from "../scripted-server.ts";
import { guidedFaults } from "./faults.ts";

const faults = guidedFaults(302);
const page = (ids: string[], next_cursor: string | null) => ok({ messages: ids.map((id) => ({ id })), next_cursor });

/** The answers to all requests of the scenario but those below `/fault`, by path and without it. */
export function stepOf(baseUrl: string, { pathname, search }: URL): Step {
  const [, area = "", fault = ""] = pathname.split("/");
  if (area === "fault") return faults[fault]?.step ?? text(500, `There is no fault ${fault}.`);
  const upload = { id: "upl_1", url: `${baseUrl}/storage`, fields: { key: "u/1" }, method: "POST" };
  const ticket = ok({ ticket: "wst_1", url: `${baseUrl.replace("http", "ws")}/live` });
  const steps: Record<string, Step> = {
    "/v1/messages": search === "" ? page([], "c1") : search === "?cursor=c1" ? page(["a"], "c2") : page(["b"], null),
    "/v1/messages/reply": ok({ platform_message_id: "m_1" }),
    "/v1/messages/human-agent": ok({ hold: { id: "hold_1" } }, 202),
    "/v1/attachments/uploads": ok({ upload }, 201),
    "/storage": text(204, ""),
    "/v1/attachments": ok({ upload: { id: "upl_1", status: "processing" } }, 202),
    "/v1/attachments/uploads/upl_1": ok({
      upload: { id: "upl_1", status: "ready", attachment: { id: "185", type: "file" } },
    }),
    "/v1/realtime/ticket": ticket,
    "/console/session/ws-ticket": ticket,
    "/hanging-storage/v1/attachments/uploads": ok({ upload: { ...upload, url: `${baseUrl}/hanging-headers` } }, 201),
  };
  const secondPages: Record<string, Step> = { "hanging-page": hangInBody, "refused-page": text(503, "") };
  const areas: Record<string, Step> = { "hanging-headers": hang, "hanging-body": hangInBody };
  const pages = search === "" ? page(["a", "b"], "c1") : secondPages[area];
  return steps[pathname] ?? areas[area] ?? pages ?? text(500, "This page must not be requested.");
}
