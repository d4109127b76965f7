import type { Duration } from "aws-cdk-lib";
import { HttpApi as Gateway, HttpMethod, HttpStage } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";

export interface HttpApiProps {
  readonly api: IFunction;
  readonly verify: IFunction;
  readonly console: IFunction;
  readonly connect: IFunction;
  readonly docs: IFunction;
  readonly intake: IFunction;
  /** Requests per second across all callers, and the burst above that rate. */
  readonly throttle: { readonly rate: number; readonly burst: number };
}

/**
 * The public HTTP API. Verify serves the check page, Console the console's routes, Connect the logins of the platforms
 * and their callbacks, Docs the documentation, Intake the platforms' webhooks, Api every other path.
 */
export class HttpApi extends Construct {
  /** Without a trailing slash. */
  readonly url: string;
  /** The first label of the gateway's host name. */
  readonly apiId: string;
  readonly #gateway: Gateway;

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    const { api, verify, intake, throttle } = props;
    const gateway = new Gateway(this, "Gateway", {
      description: "Parley",
      createDefaultStage: false,
      defaultIntegration: new HttpLambdaIntegration("ApiIntegration", api),
    });
    const verifyIntegration = new HttpLambdaIntegration("VerifyIntegration", verify);
    for (const path of ["/verify", "/verify/{proxy+}"]) {
      gateway.addRoutes({ path, methods: [HttpMethod.ANY], integration: verifyIntegration });
    }
    gateway.addRoutes({
      path: "/console/{proxy+}",
      methods: [HttpMethod.ANY],
      integration: new HttpLambdaIntegration("ConsoleIntegration", props.console),
    });
    const connectIntegration = new HttpLambdaIntegration("ConnectIntegration", props.connect);
    for (const path of ["/oauth/{proxy+}", "/platform/{proxy+}"]) {
      gateway.addRoutes({ path, methods: [HttpMethod.ANY], integration: connectIntegration });
    }
    const docsIntegration = new HttpLambdaIntegration("DocsIntegration", props.docs);
    for (const path of ["/openapi.json", "/docs", "/docs/{proxy+}"]) {
      gateway.addRoutes({ path, methods: [HttpMethod.ANY], integration: docsIntegration });
    }
    gateway.addRoutes({
      path: "/webhooks/{platform}",
      // Intake answers the other methods with 405.
      methods: [HttpMethod.ANY],
      integration: new HttpLambdaIntegration("IntakeIntegration", intake),
    });
    new HttpStage(this, "Stage", {
      httpApi: gateway,
      stageName: "$default",
      autoDeploy: true,
      throttle: { rateLimit: throttle.rate, burstLimit: throttle.burst },
    });
    this.url = gateway.apiEndpoint;
    this.apiId = gateway.apiId;
    this.#gateway = gateway;
  }

  /** 5xx responses, from a function or from the gateway itself. */
  serverErrors(period: Duration): Metric {
    return this.#gateway.metricServerError({ period, statistic: "Sum" });
  }
}
