// The step of GitHub Actions that action.yml describes.
import { runAction } from "../src/cli/action/run-action.ts";
import { contextOfAction } from "./action-context.ts";
import { runProcess } from "./run-process.ts";

void runProcess((signal) => runAction(contextOfAction(signal)));
