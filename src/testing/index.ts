/**
 * What test suites import from "harness-kit/testing", listed by hand.
 *
 * Testing wing: floors 0 to 4, and Node.
 */
export { type RecordingClock, type RecordingClockOptions, recordingClock } from "./recording-clock.ts";
export {
  callTool,
  callTools,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedResponse,
  type ScriptedTurn,
  scriptedModel,
} from "./scripted-model.ts";
