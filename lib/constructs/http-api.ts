import { type Duration, RemovalPolicy } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  CfnStage,
  HttpApi as Gateway,
  HttpMethod,
  type HttpRoute,
  HttpStage,
  LogGroupLogDestination,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { type Metric, Unit } from "aws-cdk-lib/aws-cloudwatch";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { DomainSetting, EdgeThrottles, Throttle } from "../config/settings.ts";
import { apiName } from "../config/stack-names.ts";
import { mapDomain } from "./custom-domain.ts";
import { GATEWAY_THROTTLED, WEBHOOKS_REFUSED } from "./monitoring/alarm-metrics.ts";
import { logMetric } from "./monitoring/log-metric.ts";

export interface HttpApiProps {
  readonly stage: string;
  readonly api: IFunction;
  readonly checkPage: IFunction;
  readonly console: IFunction;
  readonly connect: IFunction;
  readonly web: IFunction;
  readonly intake: IFunction;
  readonly throttles: EdgeThrottles;
  /** Null: the API has the gateway's own host. */
  readonly domain: DomainSetting | null;
}

/**
 * A line of the access log. It has the route and not the path, and neither query nor header, because all three may have a
 * credential, such as a link of a sign-in.
 */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    time: "$context.requestTime",
    request_id: "$context.requestId",
    ip: "$context.identity.sourceIp",
    method: "$context.httpMethod",
    route: "$context.routeKey",
    status: "$context.status",
    // "-" when the gateway answered by itself.
    function_status: "$context.integration.status",
    function_error: "$context.integrationErrorMessage",
    response_bytes: "$context.responseLength",
    duration_ms: "$context.responseLatency",
  }),
);

/**
 * The public HTTP API. `checkPage` serves the check page, Console the console's routes, Connect the logins of the
 * platforms and their callbacks, Web the console and the documentation, Intake the platforms' webhooks, Api every other path.
 */
export class HttpApi extends Construct {
  /** Without a trailing slash. */
  readonly url: string;
  /** The first label of the gateway's host name. */
  readonly apiId: string;
  readonly #gateway: Gateway;

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    const { stage: stageName, api, intake, throttles, domain } = props;
    const gateway = new Gateway(this, "Gateway", {
      description: "Parley",
      ...apiName(stageName, "api"),
      createDefaultStage: false,
      // Otherwise callers go around what is in front of the domain.
      ...(domain === null ? {} : { disableExecuteApiEndpoint: true }),
      defaultIntegration: new HttpLambdaIntegration("ApiIntegration", api),
    });
    // A function answers the methods that none of its routes has with 405.
    const addRoutes = (integration: HttpLambdaIntegration, paths: readonly string[]): HttpRoute[] =>
      paths.flatMap((path) => gateway.addRoutes({ path, methods: [HttpMethod.ANY], integration }));
    const checkPage = addRoutes(new HttpLambdaIntegration("VerifyIntegration", props.checkPage), [
      "/verify",
      "/verify/{proxy+}",
    ]);
    const consoleIntegration = new HttpLambdaIntegration("ConsoleIntegration", props.console);
    addRoutes(consoleIntegration, ["/console/{proxy+}"]);
    const signIn = addRoutes(consoleIntegration, ["/console/auth/{proxy+}"]);
    addRoutes(new HttpLambdaIntegration("ConnectIntegration", props.connect), [
      "/oauth/{proxy+}",
      "/platform/{proxy+}",
    ]);
    addRoutes(new HttpLambdaIntegration("WebIntegration", props.web), [
      "/app",
      "/app/{proxy+}",
      "/openapi.json",
      "/docs",
      "/docs.md",
      "/docs/{proxy+}",
      "/llms.txt",
      "/llms-full.txt",
    ]);
    const accessLog = new LogGroup(this, "AccessLog", {
      retention: RetentionDays.TWO_WEEKS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const webhookRoute = "/webhooks/{platform}";
    const webhooks = addRoutes(new HttpLambdaIntegration("IntakeIntegration", intake), [webhookRoute]);
    const stage = new HttpStage(this, "Stage", {
      httpApi: gateway,
      stageName: "$default",
      autoDeploy: true,
      throttle: { rateLimit: throttles.rest.rate, burstLimit: throttles.rest.burst },
      accessLogSettings: { destination: new LogGroupLogDestination(accessLog), format: accessLogFormat },
    });
    throttleRoutes(stage, [
      [webhooks, throttles.webhooks],
      [signIn, throttles.signIn],
      [checkPage, throttles.checkPage],
    ]);
    // A function may answer 429 too. The gateway's own refusal reached no function.
    logMetric(this, GATEWAY_THROTTLED, {
      stage: stageName,
      name: GATEWAY_THROTTLED,
      logGroup: accessLog,
      pattern: FilterPattern.all(
        FilterPattern.stringValue("$.status", "=", "429"),
        FilterPattern.stringValue("$.function_status", "=", "-"),
      ),
      unit: Unit.COUNT,
    });
    logMetric(this, WEBHOOKS_REFUSED, {
      stage: stageName,
      name: WEBHOOKS_REFUSED,
      logGroup: accessLog,
      pattern: FilterPattern.all(
        FilterPattern.stringValue("$.route", "=", `ANY ${webhookRoute}`),
        FilterPattern.stringValue("$.status", "=", "403"),
      ),
      unit: Unit.COUNT,
    });
    if (domain !== null) mapDomain(this, { domain, api: gateway, stage, output: "DomainTarget" });
    this.url = domain === null ? gateway.apiEndpoint : `https://${domain.name}`;
    this.apiId = gateway.apiId;
    this.#gateway = gateway;
  }

  /** All requests. */
  requests(period: Duration): Metric {
    return this.#gateway.metricCount({ period, statistic: "Sum" });
  }

  /** 4xx responses, from a function or from the gateway itself. */
  clientErrors(period: Duration): Metric {
    return this.#gateway.metricClientError({ period, statistic: "Sum" });
  }

  /** 5xx responses, from a function or from the gateway itself. */
  serverErrors(period: Duration): Metric {
    return this.#gateway.metricServerError({ period, statistic: "Sum" });
  }
}

/** Gives routes their own throttles. The stage names its routes, so that it needs them to exist. */
function throttleRoutes(stage: HttpStage, parts: readonly (readonly [readonly HttpRoute[], Throttle])[]): void {
  const settings = parts.flatMap(([routes, { rate, burst }]) =>
    routes.map(({ path }) => [`ANY ${path}`, { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }]),
  );
  if (stage.node.defaultChild instanceof CfnStage) stage.node.defaultChild.routeSettings = Object.fromEntries(settings);
  stage.node.addDependency(...parts.flatMap(([routes]) => routes));
}
