// This file runs the step of GitHub Actions that action.yml describes.
import { runAction } from "../src/cli/action.ts";
import { contextOfAction, runProcess } from "./process.ts";

void runProcess((signal) => runAction(contextOfAction(signal)));
