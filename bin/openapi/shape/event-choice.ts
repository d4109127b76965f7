import type { Json } from "#http/openapi/schemas.ts";

/** `Event` of the document: any event that an endpoint receives, distinguished by its `type`. */
export function eventChoice(webhooks: Json): Json {
  const references = Object.entries(webhooks).map(([type, item]): [string, string] => {
    const { requestBody } = (item as { readonly post: Json }).post;
    const { content } = requestBody as {
      readonly content: Record<string, { readonly schema: { readonly $ref: string } }>;
    };
    return [type, content["application/json"]?.schema.$ref ?? ""];
  });
  return {
    oneOf: references.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: "type", mapping: Object.fromEntries(references) },
  };
}
