import { describe, expect, it } from "vitest";
import type * as z from "zod/mini";
import { createKey } from "#features/access/routes/keys.ts";
import { getDelivery } from "#features/delivery/routes/deliveries.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { getHeldMessage } from "#features/holds/routes/check-page.ts";
import { sendHumanAgentMessage } from "#features/holds/routes/human-agent.ts";
import { sendReply } from "#features/sending/routes.ts";
import { getStats } from "#features/stats/routes.ts";
import { createUpload, finishUpload } from "#features/uploads/routes.ts";
import { assertMatchesSchema } from "#http/request.ts";
import { apiRoutes } from "../../functions/api/routes.ts";
import { codeBlocks } from "./code-blocks.ts";

// The examples of the guides that describe routes. The guides that are procedures are run as a whole, in test/e2e/guides.

type Schema = z.core.$ZodType;
interface Sample {
  readonly schema: Schema | undefined;
  /** What the route receives or returns, from the value that the page shows. */
  readonly value: (shown: object) => unknown;
}

const itself = (shown: object): object => shown;
const inEnvelope = (shown: object): unknown => (shown as { data: unknown }).data;
const row = {
  delivery_id: deliveryId("01M7ZAN532DXZZ1TKP6RZ0YEPG", "01M7ZAN532HYHTNCQTN6VSW2G3"),
  ...{ event_id: "evt_01M7ZAN532DXZZ1TKP6RZ0YEPG", event_type: "message.received", status: "retrying" },
  ...{ attempt_number: 2, next_retry_at: null, last_response_status: 422, last_error: "status", last_duration_ms: 41 },
  ...{ waiting_for: "endpoint", waiting_until: null },
  ...{ created_at: 1795348805000, updated_at: 1795348805000, event: null },
};

/** By page, each block of JSON in its order. */
const samples: Readonly<Record<string, readonly Sample[]>> = {
  "docs/guides/sending.md": [{ schema: sendReply.body as Schema, value: itself }],
  "docs/guides/held-messages.md": [
    { schema: sendHumanAgentMessage.data, value: inEnvelope },
    { schema: getHeldMessage.data, value: (hold) => ({ hold }) },
  ],
  "docs/guides/delivery.md": [
    { schema: getDelivery.data, value: (attempt) => ({ delivery: { ...row, attempts: [attempt] } }) },
  ],
  "docs/guides/stats.md": [
    { schema: getStats.data, value: itself },
    {
      schema: getStats.data,
      value: (hour) => ({ messages_24h: 115, dlq_total: 0, window_hours: 24, endpoints: [], series: [hour] }),
    },
  ],
  "docs/guides/uploads.md": [
    { schema: createUpload.data, value: inEnvelope },
    { schema: finishUpload.data, value: inEnvelope },
    { schema: sendReply.body as Schema, value: itself },
  ],
  "docs/guides/keys.md": [{ schema: createKey.data, value: inEnvelope }],
};

describe.each(Object.entries(samples))("%s", (page, expected) => {
  const blocks = codeBlocks(page);

  it("the document shows JSON that its route accepts or returns", () => {
    const shown = blocks.filter(({ language }) => language === "json").map(({ code }) => JSON.parse(code) as object);
    expect(shown).toHaveLength(expected.length);
    for (const [index, { schema, value }] of expected.entries()) {
      if (!schema) throw new Error("the route has no schema");
      assertMatchesSchema(schema, value(shown[index] ?? {}));
    }
  });

  it("the document calls routes that exist, with bodies that they accept", () => {
    for (const { code } of blocks.filter(({ language, code }) => language === "sh" && code.includes("curl "))) {
      const [, path = ""] = /"\$BASE(\/[^"]*)"/.exec(code) ?? [];
      const body = / -d '(.*)'/.exec(code)?.[1];
      const method = / -X (\w+)/.exec(code)?.[1] ?? (body === undefined ? "GET" : "POST");
      const pattern = path.replace(/\?.*/, "").replace(/\$\w+|CONV%23…/g, "{id}");
      const route = apiRoutes.find((each) => each.method === method && each.path === pattern);
      if (!route) throw new Error(`no route for ${method} ${path}`);
      if (body !== undefined) assertMatchesSchema(route.body as Schema, JSON.parse(body));
    }
  });
});
