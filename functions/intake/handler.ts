import { httpHandler } from "../support/http-handler.ts";
import { intakeApp } from "./app.ts";
import { intakePorts } from "./ports.ts";

export const handler = httpHandler(intakeApp(intakePorts()));
