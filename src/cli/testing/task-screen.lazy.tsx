/** @jsxImportSource react */

import { Box, Text, useApp, useInput } from "ink";
import { useEffect, useState } from "react";
import type { PollResult } from "../../client/wait.ts";
import type { Task } from "../../contract/tester.ts";
import { oneLine } from "../../words/visible.ts";
import { formatDuration } from "../core/output.ts";
import { type Shown, showOnTerminal } from "../core/screen.lazy.ts";

/** A task. It contains its test key only with `--with-test-keys`. */
export type ShownTask = Omit<Task, "testKey">;

/** The tasks of today, and the number of tasks that are still open. */
export interface Tasks {
  readonly tasks: readonly ShownTask[];
  readonly outstanding: number;
}

/** The data of the screen, and the `signal` that ends the screen. */
export interface TaskScreen extends Shown {
  /** Reads the tasks repeatedly, until the signal aborts. */
  readonly results: (signal: AbortSignal) => AsyncIterable<PollResult<Tasks>>;
  readonly now: () => Date;
}

/** Shows today's tasks until `q` or Ctrl-C. Throws the first permanent error, or the reason of an abort. */
export async function showTasks(screen: TaskScreen): Promise<void> {
  await showOnTerminal(<Screen {...screen} />, screen);
}

function Screen({ results, now, signal }: TaskScreen) {
  const { exit } = useApp();
  const time = useTime(now);
  const { result, tasks } = useResults(results, signal, exit);
  useInput((input, key) => {
    if (input === "q" || (key.ctrl && input === "c")) exit();
  });
  return (
    <Box flexDirection="column" paddingX={1} rowGap={1}>
      <Headline tasks={tasks} />
      {tasks && <TaskList tasks={tasks.tasks} time={time} />}
      <Footer result={result} time={time} />
    </Box>
  );
}

function useTime(now: () => Date): Date {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), 1_000);
    return () => clearInterval(timer);
  }, [now]);
  return time;
}

/** Returns the last result, and the last tasks. The tasks stay on the screen after a failure. */
function useResults(results: TaskScreen["results"], signal: AbortSignal, exit: (error?: Error) => void) {
  const [result, setResult] = useState<PollResult<Tasks>>();
  const [tasks, setTasks] = useState<Tasks>();
  useEffect(() => {
    const leaving = new AbortController();
    const leave = () => leaving.abort(new Error("The person has left the screen."));
    const follow = async () => {
      for await (const next of results(leaving.signal)) {
        setResult(next);
        if ("value" in next) setTasks(next.value);
      }
    };
    const end = () => exit();
    signal.addEventListener("abort", end, { once: true });
    follow().catch((error: unknown) => {
      if (!leaving.signal.aborted) exit(error instanceof Error ? error : new Error(String(error)));
    });
    return () => {
      signal.removeEventListener("abort", end);
      leave();
    };
  }, [results, signal, exit]);
  return { result, tasks };
}

function Headline({ tasks }: { readonly tasks: Tasks | undefined }) {
  if (!tasks) return <Text dimColor>Loading your tests…</Text>;
  if (tasks.tasks.length === 0) {
    return <Text>No tests today. `innkeep slot list --open` shows where testers are wanted.</Text>;
  }
  const done = tasks.outstanding === 0;
  return (
    <Text bold color={done ? "green" : "yellow"}>
      {done
        ? "All done for today."
        : oneLine(`${tasks.outstanding} of ${tasks.tasks.length} tasks are still open today`)}
    </Text>
  );
}

const TaskList = ({ tasks, time }: { readonly tasks: readonly ShownTask[]; readonly time: Date }) => (
  <Box flexDirection="column" rowGap={1}>
    {[...tasks].sort(byUrgency).map((task) => (
      <TaskLines key={task.slotId} task={task} time={time} />
    ))}
  </Box>
);

const byUrgency = (a: ShownTask, b: ShownTask): number =>
  Number(a.submitted) - Number(b.submitted) || (a.dueBy < b.dueBy ? -1 : 1);

function TaskLines({ task, time }: { readonly task: ShownTask; readonly time: Date }) {
  const { appName, dayIndex, durationDays, submitted } = task;
  return (
    <Box flexDirection="column">
      <Text bold={!submitted} color={submitted ? "green" : undefined} wrap="truncate-end">
        {submitted ? "✓" : "○"} {oneLine(`${appName}, day ${dayIndex} of ${durationDays}`)}
        {submitted ? ": counted" : ""}
      </Text>
      {!submitted && <Text wrap="truncate-end">{`  ${todo(task)}`}</Text>}
      {!submitted && <Text wrap="truncate-end">{`  ${dueInWords(task.dueBy, time)}`}</Text>}
      {remarks(task).map((remark) => (
        <Text key={remark} color="yellow" wrap="truncate-end">{`  ${remark}`}</Text>
      ))}
    </Box>
  );
}

const todo = ({ targetScreen, verificationTier }: ShownTask): string =>
  verificationTier === "sdk"
    ? `Use the app, and open ${oneLine(targetScreen)}`
    : `Send a picture of ${oneLine(targetScreen)}`;

function remarks({ slotStatus, missedDays, joinCheckPending }: ShownTask): string[] {
  const missed = missedDays === 1 ? "one day missed" : `${missedDays} days missed`;
  return [
    ...(slotStatus === "at_risk" ? [oneLine(`Your slot is at risk: ${missed}`)] : []),
    ...(joinCheckPending ? ["The owner must still confirm that you joined the store's test"] : []),
  ];
}

/** Returns when the task is due, in words and in the time zone of this machine. */
function dueInWords(dueBy: string, time: Date): string {
  const due = new Date(dueBy);
  const left = Math.floor((due.getTime() - time.getTime()) / 1_000);
  if (left <= 0) return "The day has ended";
  const clock = due.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  const weekday = due.toLocaleDateString(undefined, { weekday: "long" });
  return `Due by ${clock}${due.toDateString() === time.toDateString() ? "" : ` on ${weekday}`} (${formatDuration(left)} left)`;
}

function Footer({ result, time }: { readonly result: PollResult<Tasks> | undefined; readonly time: Date }) {
  if (!result) return <Text dimColor>Press q to leave</Text>;
  const passed = Math.max(0, time.getTime() - result.at.getTime());
  const left = Math.max(0, Math.ceil((result.nextInMs - passed) / 1_000));
  const next = left === 0 ? "now" : `in ${formatDuration(left)}`;
  return (
    <Box flexDirection="column">
      {"failure" in result && <Text color="red">{oneLine(result.failure.message)}</Text>}
      <Text
        dimColor
      >{`Updated ${result.at.toLocaleTimeString()}, next update ${next}. Press q to leave`}</Text>
    </Box>
  );
}
