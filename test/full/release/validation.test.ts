import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { synthesize } from "../../../lib/app.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-validation-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const certificate = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/a1-b2`;
const cap = { "parley:tableMaxReadUnits": "1000", "parley:tableMaxWriteUnits": "500" };
const domains = {
  "parley:domain": "api.example.com",
  "parley:realtimeDomain": "sockets.example.com",
  "parley:realtimeCertificateArn": certificate("eu-central-1"),
};

it.each([
  ["CloudFront", { "parley:cloudFront": "on" }],
  ["CloudFront and a cap on throughput", { "parley:cloudFront": "on", ...cap }],
  [
    "CloudFront with a domain",
    { "parley:cloudFront": "on", "parley:certificateArn": certificate("us-east-1"), ...domains },
  ],
  ["domains of both gateways", { "parley:certificateArn": certificate("eu-central-1"), ...domains }],
  ["the size small", { "parley:size": "small" }],
])(
  "the templates with %s pass CloudFormation's rules, without a warning of the CDK",
  (name, context) => {
    const outdir = join(folder, name.replaceAll(" ", "-"));
    synthesize({ outdir, context, bundle: false, validate: true });
    const { artifacts } = JSON.parse(readFileSync(join(outdir, "manifest.json"), "utf8")) as {
      artifacts: Readonly<Record<string, { readonly metadata?: object; readonly additionalMetadataFile?: string }>>;
    };
    const metadata = Object.values(artifacts).flatMap(({ metadata = {}, additionalMetadataFile: file }) => [
      metadata,
      ...(file === undefined ? [] : [JSON.parse(readFileSync(join(outdir, file), "utf8"))]),
    ]);
    const entries = metadata.flatMap((each) => Object.values(each).flat()) as { type: string; data: unknown }[];
    expect(entries.length).toBeGreaterThan(100);
    expect(entries.filter(({ type }) => type === "aws:cdk:warning" || type === "aws:cdk:error")).toEqual([]);
  },
  60_000,
);
