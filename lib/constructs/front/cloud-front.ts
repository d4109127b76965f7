import { CfnOutput, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  type ErrorResponse,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { env } from "#base/config/names.ts";
import { ORIGIN_HEADER } from "#base/kernel/text/origin-header.ts";
import type { CloudFrontSetting, DomainSetting } from "../../config/settings.ts";
import type { NodeFunction } from "../node-function.ts";
import { allowReading } from "../service-secrets.ts";

export interface CloudFrontProps extends CloudFrontSetting {
  readonly stage: string;
  /** The first label of the gateway's host name. */
  readonly apiId: string;
  /** With a certificate of us-east-1. Null: the distribution has CloudFront's own host. */
  readonly domain: DomainSetting | null;
}

/** Longer than the 30 seconds after which the gateway answers by itself. */
const ORIGIN_TIMEOUT = Duration.seconds(40);

/** The errors that CloudFront stores for ten seconds by default, also where nothing else is. */
const STORED_ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/**
 * A distribution of CloudFront in front of the HTTP API. It stores the files of the console, whose names have a hash, and the
 * documentation, as long as their responses say; nothing of the API. It proves itself to the functions by a secret.
 */
export class CloudFront extends Construct {
  /** The public URL, without a trailing slash. */
  readonly url: string;
  /** The distribution's own host. */
  readonly host: string;
  readonly #secrets: readonly Secret[];
  readonly #distribution: Distribution;

  constructor(scope: Construct, id: string, { stage, apiId, domain, originSecretNumber }: CloudFrontProps) {
    super(scope, id);
    const { region, urlSuffix } = Stack.of(this);
    const current = originSecret(this, originSecretNumber);
    // The functions accept the next secret before the distribution sends it, because an update of it takes minutes.
    this.#secrets = [current, originSecret(this, originSecretNumber + 1)];
    const origin = new HttpOrigin(`${apiId}.execute-api.${region}.${urlSuffix}`, {
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
      readTimeout: ORIGIN_TIMEOUT,
      customHeaders: { [ORIGIN_HEADER]: current.secretValue.unsafeUnwrap() },
    });
    const stored = {
      origin,
      cachePolicy: asResponsesSay(this, stage),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // Files are compressed at build time.
      compress: false,
    } satisfies BehaviorOptions;
    this.#distribution = new Distribution(this, "Distribution", {
      comment: `Parley: ${stage}`,
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(domain === null
        ? {}
        : {
            domainNames: [domain.name],
            // CloudFront's own certificate has a fixed version, TLSv1.
            minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
            certificate: Certificate.fromCertificateArn(this, "Certificate", domain.certificateArn),
          }),
      defaultBehavior: {
        origin,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        // The gateway answers its own host only.
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        allowedMethods: AllowedMethods.ALLOW_ALL,
        // A redirect would come after the credential was sent in plain text.
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        compress: false,
      },
      additionalBehaviors: { "/app/assets/*": stored, "/docs": stored, "/docs/*": stored },
      errorResponses: STORED_ERRORS.map((httpStatus): ErrorResponse => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    this.host = this.#distribution.distributionDomainName;
    this.url = `https://${domain?.name ?? this.host}`;
    new CfnOutput(this, "CloudFrontTarget", { value: this.host }).overrideLogicalId("CloudFrontTarget");
  }

  /** Lets a function recognize the distribution, and believe the address of the client that it forwards. */
  identifyTo(each: NodeFunction): void {
    each.addEnvironment(env.originSecretIds, this.#secrets.map(({ secretArn }) => secretArn).join(","));
    for (const secret of this.#secrets) allowReading(secret, each.functionRole);
    // Also where its environment does not name the distribution. A function that CloudFormation updated before it would not
    // believe the secret of before, which the distribution sends until it has the next one.
    each.node.addDependency(this.#distribution);
  }
}

/** A secret is its number: another number is another resource, which CloudFormation generates. */
function originSecret(scope: Construct, number: number): Secret {
  return new Secret(scope, `OriginSecret${number}`, {
    description: `Parley: proves CloudFront to the functions (parley:originSecretNumber ${number})`,
    generateSecretString: { passwordLength: 48, excludePunctuation: true },
    removalPolicy: RemovalPolicy.DESTROY,
  });
}

/** Stores a response as long as its `cache-control` says, and one without for no time, for each coding. */
function asResponsesSay(scope: Construct, stage: string): CachePolicy {
  return new CachePolicy(scope, "StoredFiles", {
    comment: `Parley: ${stage}, as Cache-Control says`,
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: Duration.days(365),
    enableAcceptEncodingBrotli: true,
    enableAcceptEncodingGzip: true,
    cookieBehavior: CacheCookieBehavior.none(),
    headerBehavior: CacheHeaderBehavior.none(),
    queryStringBehavior: CacheQueryStringBehavior.none(),
  });
}
