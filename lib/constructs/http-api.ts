import type { Duration } from "aws-cdk-lib";
import { CfnStage, HttpApi as Gateway, HttpMethod, type HttpRoute, HttpStage } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { EdgeThrottles, Throttle } from "../config/settings.ts";
import { apiName } from "../config/stack-names.ts";

export interface HttpApiProps {
  readonly stage: string;
  readonly api: IFunction;
  readonly checkPage: IFunction;
  readonly console: IFunction;
  readonly connect: IFunction;
  readonly web: IFunction;
  readonly intake: IFunction;
  readonly throttles: EdgeThrottles;
}

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
    const { stage: stageName, api, intake, throttles } = props;
    const gateway = new Gateway(this, "Gateway", {
      description: "Parley",
      ...apiName(stageName, "api"),
      createDefaultStage: false,
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
      "/docs/{proxy+}",
    ]);
    const webhooks = addRoutes(new HttpLambdaIntegration("IntakeIntegration", intake), ["/webhooks/{platform}"]);
    const stage = new HttpStage(this, "Stage", {
      httpApi: gateway,
      stageName: "$default",
      autoDeploy: true,
      throttle: { rateLimit: throttles.rest.rate, burstLimit: throttles.rest.burst },
    });
    throttleRoutes(stage, [
      [webhooks, throttles.webhooks],
      [signIn, throttles.signIn],
      [checkPage, throttles.checkPage],
    ]);
    this.url = gateway.apiEndpoint;
    this.apiId = gateway.apiId;
    this.#gateway = gateway;
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
