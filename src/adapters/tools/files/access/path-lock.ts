/**
 * One writer per file at a time, in the order of asking.
 *
 * Wing (adapters). Tools of access "write" run alone within a run; two runs, or two sets of tools, on one
 * workspace meet here. Other processes are noticed by `replaceFile`, not kept out.
 */
import { onAbort } from "../../../../util/abort.ts";

const tails = new Map<string, Promise<void>>();

/**
 * Does `work` when all earlier work on `path` has ended, well or not.
 *
 * @throws The reason of the signal, when it fires while waiting; the work is not started then.
 */
export async function withPathLock<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const before = tails.get(path) ?? Promise.resolve();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tail = before.then(() => held);
  tails.set(path, tail);
  // Only when everything before has ended, too: whoever gave up waiting must not open the way for the next.
  void tail.then(() => {
    if (tails.get(path) === tail) tails.delete(path);
  });
  try {
    await untilAbort(before, signal);
    return await work();
  } finally {
    release();
  }
}

async function untilAbort(waiting: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = onAbort(signal, reject);
  });
  try {
    await Promise.race([waiting, aborted]);
  } finally {
    stop();
  }
}
